import { isUniqueViolation } from '../primitives/error-code.ts'
import * as z from 'zod'
import type { Transaction } from '../postgres/database.ts'
import { readBody, transaction } from './call.ts'
import type { SignedInCall } from './signed-in.ts'
import { recordEvent } from './record-event.ts'
import { requireOwnPassword } from './guessing/compare-password.ts'
import { checkNewPassword, metadata, normalizeEmail } from './credentials.ts'
import { authErrors } from './errors.ts'
import { requireAal2IfEnrolled } from './factors/aal.ts'
import { admitEmailChange, beginEmailChange } from './email-flows/email-change.ts'
import { emailPasswordChanged } from './email-flows/emails.ts'
import { dropTokens } from './email-flows/one-time-tokens.ts'
import { spendNonce } from './email-flows/reauthenticate.ts'
import { readWayBack } from './email-flows/request.ts'
import { presentUser, presentUserToApp } from './present-user.ts'
import { endSessions } from './sessions.ts'
import { findUser, lockUser, updateUser, type User } from './users.ts'

const body = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  /** Compared when it is present. */
  current_password: z.string().max(1_024).nullish(),
  /** The code that GET /reauthenticate sent; checked with a new password. */
  nonce: z.string().max(64).nullish(),
  data: metadata.nullish(),
  code_challenge: z.string().nullish(),
  code_challenge_method: z.string().nullish(),
})

/** For this long after the sign-in a new password needs no further proof. */
const recentSignInMs = 24 * 3_600_000

/** GET /user: the account of the bearer; for an app, what its scopes allow. */
export async function getUser({ user, scopes }: SignedInCall): Promise<Response> {
  const body = scopes ? presentUserToApp(user, scopes) : presentUser(user)
  return Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
}

/**
 * PUT /user: changes of one's own account. A new password ends every other session and voids all emailed links; a day after
 * the sign-in it needs the old password or an emailed code as well. A new address counts once both addresses have
 * confirmed it by email, unless this server does not confirm addresses.
 */
export async function changeUser(call: SignedInCall): Promise<Response> {
  const { auth } = call.deps.config
  const input = await readBody(call, body)
  if (input.phone) throw authErrors.phoneDisabled()
  const email = input.email ? normalizeEmail(input.email) : undefined
  const newEmail = email === call.user.email ? undefined : email
  if (newEmail !== undefined || input.password) {
    const why = 'AAL2 session is required to update email or password when MFA is enabled.'
    requireAal2IfEnrolled(call, authErrors.insufficientAal(401, why))
  } else if (input.data) requireAal2IfEnrolled(call)
  const way = readWayBack(call, input)
  if (input.password === '') throw authErrors.weakPassword(auth.passwordMinLength)
  const passwordHash = input.password
    ? await newPasswordHash(call, input.password, input)
    : undefined
  const isMailed = newEmail !== undefined && !auth.autoconfirm
  if (isMailed) await admitEmailChange(call, call.user, newEmail)

  const user = await transaction(call, async (db) => {
    const before = await lockUser(db, call.user.id)
    if (!before) throw authErrors.userNotFound()
    await updateUser(db, call.user.id, {
      ...(newEmail !== undefined && !isMailed && { email: newEmail }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(input.data && { metadata: mergeMetadata(before.user_metadata, input.data) }),
    }).catch(asEmailExists)
    if (passwordHash !== undefined) {
      await endSessions(db, { user: call.user.id, except: call.session.id })
      await dropTokens(db, call.user.id)
      await emailPasswordChanged(db, call.user)
    }
    if (isMailed) await beginEmailChange(db, call, call.user.id, newEmail, way)
    return findUser(db, call.user.id)
  })
  if (!user) throw authErrors.userNotFound()
  if (isMailed || passwordHash !== undefined) call.deps.mail.wake()
  const facts = { user_id: user.id, session_id: call.session.id }
  if (passwordHash !== undefined) recordEvent(call, 'password changed', facts)
  if (newEmail !== undefined)
    recordEvent(call, isMailed ? 'address change asked for' : 'address changed', facts)
  if (input.data) {
    const fields = Object.keys(input.data).slice(0, 20)
    recordEvent(call, 'profile data changed', { ...facts, fields })
  }
  return answer(user)
}

async function newPasswordHash(
  call: SignedInCall,
  password: string,
  { current_password: claimed, nonce }: z.output<typeof body>,
): Promise<string> {
  const { hasher, config } = call.deps
  checkNewPassword(password, config.auth.passwordMinLength)
  if (nonce) await spendNonce(call, nonce)
  const current = await transaction(call, (db) => currentHash(db, call.user.id))
  if (claimed && current !== null)
    await requireOwnPassword(call, claimed, authErrors.currentPasswordWrong())
  const isProven = Boolean(nonce) || (Boolean(claimed) && current !== null)
  if (!isProven && isLongAgo(call)) throw authErrors.reauthenticationNeeded()
  if (current !== null && (await hasher.verify(password, current))) throw authErrors.samePassword()
  return hasher.hash(password)
}

/** An open browser must not be enough to take the account over. Without a mail server there are no codes. */
function isLongAgo({ deps, session }: SignedInCall): boolean {
  const { smtpUrl } = deps.config.mail
  return smtpUrl !== undefined && Date.now() - session.created_at.getTime() > recentSignInMs
}

async function currentHash(db: Transaction, id: string): Promise<string | null> {
  const { rows } = await db.query<{ encrypted_password: string | null }>(
    'select encrypted_password from auth.users where id = $1',
    [id],
  )
  return rows[0]?.encrypted_password ?? null
}

/** New keys replace old ones, null removes one. @throws {AuthError} when the result is too large */
export function mergeMetadata(
  old: Record<string, unknown>,
  data: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries({ ...old, ...data }).filter(([, value]) => value !== null)
  const parsed = metadata.safeParse(Object.fromEntries(merged))
  if (!parsed.success) throw authErrors.invalid('data: must not be larger than 4 KiB')
  return parsed.data
}

function asEmailExists(error: unknown): never {
  if (isUniqueViolation(error)) throw authErrors.emailExists()
  throw error
}

function answer(user: User): Response {
  return Response.json(presentUser(user), { headers: { 'Cache-Control': 'no-store' } })
}
