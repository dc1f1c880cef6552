import * as z from 'zod'
import { readAccountBody } from './call.ts'
import { checkNewPassword, metadata, normalizeEmail, optionalText } from './credentials.ts'
import { emailAddressChange, storeEmailChange } from './email-flows/email-change.ts'
import { emailPasswordChanged } from './email-flows/emails.ts'
import { dropTokens, type EmailToken } from './email-flows/one-time-tokens.ts'
import {
  admitMail,
  mailRequest,
  findNonce,
  readWayBack,
  spendNonce,
} from './email-flows/requests.ts'
import { authErrors } from './errors.ts'
import { emailLogins, lacksAal2, ownTransaction, type SignedInCall } from './guards.ts'
import { requireOwnPassword } from './guessing/compare-password.ts'
import { presentUser, presentUserToApp } from './present-user.ts'
import { recordOwnEvent } from './record-event.ts'
import { endSessions } from './sessions.ts'
import { findLockedUser, updateUser } from './users.ts'

export const userChangeBody = mailRequest.extend({
  password: optionalText,
  /** Compared when it is present. */
  current_password: z.string().max(1_024).nullish(),
  /** The code that GET /reauthenticate sent; checked with a new password. */
  nonce: z.string().max(64).nullish(),
})

/** For this long after the sign-in a new password needs no further proof. */
const recentSignInMs = 24 * 3_600_000

/** GET /user: the account of the bearer; for an app, the part within its scopes. */
export async function getUser({ user, scopes }: SignedInCall): Promise<Response> {
  const body = scopes ? presentUserToApp(user, scopes) : presentUser(user)
  return Response.json(body)
}

/**
 * PUT /user: changes of one's own account. A new password ends every other session and voids all emailed links; a day after
 * the sign-in it needs the old password or an emailed code as well. A new address counts once both addresses have
 * confirmed it by email, unless this server does not confirm addresses. Neither changes where passwords are off.
 */
export async function changeUser(call: SignedInCall): Promise<Response> {
  const { auth } = call.deps.config
  const input = await readAccountBody(call, userChangeBody)
  const email = input.email ? normalizeEmail(input.email) : undefined
  const newEmail = email === call.user.email ? undefined : email
  if (newEmail !== undefined || input.password) await emailLogins(call)
  if (lacksAal2(call)) {
    if (newEmail !== undefined || input.password) throw authErrors.aalToChangeCredentials()
    if (input.data) throw authErrors.insufficientAal()
  }
  const way = readWayBack(call, input)
  if (input.password === '') throw authErrors.weakPassword(auth.passwordMinLength)
  const { passwordHash, nonce } = input.password
    ? await newPassword(call, input.password, input)
    : {}
  const isMailed = newEmail !== undefined && !auth.autoconfirm
  if (isMailed) await admitMail(call, 'email_change', newEmail, call.user.email)

  const user = await ownTransaction(call, async (db, before) => {
    if (nonce) await spendNonce(db, nonce)
    await updateUser(db, call.user.id, {
      email: isMailed ? undefined : newEmail,
      passwordHash,
      metadata: mergeMetadata(before.user_metadata, input.data),
    })
    if (passwordHash !== undefined) {
      await endSessions(db, { user: call.user.id, except: call.session.id })
      await dropTokens(db, call.user.id)
      await emailPasswordChanged(db, call.user)
    }
    if (isMailed) {
      const change = await storeEmailChange(db, before, newEmail)
      await emailAddressChange(db, call, { ...before, ...change }, way)
    }
    return findLockedUser(db, call.user.id)
  })
  if (isMailed || passwordHash !== undefined) call.deps.mail.wake()
  if (passwordHash !== undefined) recordOwnEvent(call, 'password changed')
  if (newEmail !== undefined)
    recordOwnEvent(call, isMailed ? 'address change asked for' : 'address changed')
  if (input.data) {
    recordOwnEvent(call, 'profile data changed', { fields: namesForLog(input.data) })
  }
  return Response.json(presentUser(user))
}

/** A name that is only removed and never stored may be 4 kB long. */
function namesForLog(data: Record<string, unknown>): string[] {
  const names = Object.keys(data).slice(0, 20)
  return names.map((name) => Array.from(name).slice(0, 40).join(''))
}

/** @returns its hash, and the emailed code that is used up together with the change */
async function newPassword(
  call: SignedInCall,
  password: string,
  { current_password: claimed, nonce: code }: z.output<typeof userChangeBody>,
): Promise<{ passwordHash: string; nonce: EmailToken | undefined }> {
  const { hasher, config } = call.deps
  checkNewPassword(password, config.auth.passwordMinLength)
  const nonce = code ? await findNonce(call, code) : undefined
  const account = await ownTransaction(call, async (_, account) => account)
  const current = account.encrypted_password
  if (claimed && current !== null)
    await requireOwnPassword(call, claimed, authErrors.currentPasswordWrong())
  const isProven = nonce !== undefined || (Boolean(claimed) && current !== null)
  if (!isProven && isLongAgo(call)) throw authErrors.reauthenticationNeeded()
  if (current !== null && (await hasher.verify(password, current))) throw authErrors.samePassword()
  return { passwordHash: await hasher.hash(password), nonce }
}

/** An open browser must not be enough to take the account over. Without a mail server there are no codes. */
function isLongAgo({ deps, session }: SignedInCall): boolean {
  const { smtpUrl } = deps.config.mail
  return smtpUrl !== undefined && Date.now() - session.created_at.getTime() > recentSignInMs
}

/**
 * New keys replace old ones, null removes one.
 *
 * @returns undefined for no changes
 * @throws {AuthError} when the result is too large
 */
export function mergeMetadata(
  old: Record<string, unknown>,
  data: Record<string, unknown> | null | undefined,
): Record<string, unknown> | undefined {
  if (!data) return undefined
  const merged = Object.entries({ ...old, ...data }).filter(([, value]) => value !== null)
  const parsed = metadata.safeParse(Object.fromEntries(merged))
  if (!parsed.success) throw authErrors.invalid('data: must not be larger than 4 KiB')
  return parsed.data
}
