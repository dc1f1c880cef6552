import * as z from 'zod'
import type { Transaction } from '../postgres/database.ts'
import { audit, readBody, type SignedInCall, transaction } from './call.ts'
import { checkNewPassword, metadata, normalizeEmail } from './credentials.ts'
import { authErrors } from './errors.ts'
import { requireAal2IfEnrolled } from './factors/aal.ts'
import { presentUser, presentUserToApp } from './present-user.ts'
import { endSessions } from './sessions.ts'
import { findUser, lockUser, updateUser, type User } from './users.ts'

const body = z.object({
  email: z.string().nullish(),
  phone: z.string().nullish(),
  password: z.string().nullish(),
  data: metadata.nullish(),
})

/** GET /user: the account of the bearer; for an app, as much as it was allowed. */
export async function getUser({ user, scopes }: SignedInCall): Promise<Response> {
  const body = scopes ? presentUserToApp(user, scopes) : presentUser(user)
  return Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
}

/** PUT /user: changes of one's own account. A new password ends every other session. */
export async function changeUser(call: SignedInCall): Promise<Response> {
  const { auth } = call.context.config
  const input = await readBody(call, body)
  if (input.phone) throw authErrors.phoneDisabled()
  const email = input.email ? normalizeEmail(input.email) : undefined
  const newEmail = email === call.user.email ? undefined : email
  if (newEmail !== undefined || input.password) {
    const why = 'AAL2 session is required to update email or password when MFA is enabled.'
    requireAal2IfEnrolled(call, authErrors.insufficientAal(401, why))
  }
  if (newEmail !== undefined && !auth.autoconfirm) throw authErrors.mailMissing()
  if (input.password === '') throw authErrors.weakPassword(auth.passwordMinLength)
  const passwordHash = input.password ? await newPasswordHash(call, input.password) : undefined

  const user = await transaction(call, async (db) => {
    const before = await lockUser(db, call.user.id)
    if (!before) throw authErrors.userNotFound()
    await updateUser(db, call.user.id, {
      ...(newEmail !== undefined && { email: newEmail }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(input.data && { metadata: merge(before.user_metadata, input.data) }),
    }).catch(asEmailExists)
    if (passwordHash !== undefined) {
      await endSessions(db, { user: call.user.id, except: call.session.id })
    }
    return findUser(db, call.user.id)
  })
  if (!user) throw authErrors.userNotFound()
  audit(call, 'account changed', {
    user_id: user.id,
    email: newEmail !== undefined,
    password: passwordHash !== undefined,
    data: input.data != null,
  })
  return answer(user)
}

async function newPasswordHash(call: SignedInCall, password: string): Promise<string> {
  const { hasher, config } = call.context
  checkNewPassword(password, config.auth.passwordMinLength)
  const current = await transaction(call, (db) => currentHash(db, call.user.id))
  if (current !== null && (await hasher.verify(password, current))) throw authErrors.samePassword()
  return hasher.hash(password)
}

async function currentHash(db: Transaction, id: string): Promise<string | null> {
  const { rows } = await db.query<{ encrypted_password: string | null }>(
    'select encrypted_password from auth.users where id = $1',
    [id],
  )
  return rows[0]?.encrypted_password ?? null
}

/** New keys replace old ones, null removes one. @throws {AuthError} when the whole grows over its bound */
function merge(
  old: Record<string, unknown>,
  data: Record<string, unknown>,
): Record<string, unknown> {
  const merged = Object.entries({ ...old, ...data }).filter(([, value]) => value !== null)
  const parsed = metadata.safeParse(Object.fromEntries(merged))
  if (!parsed.success) throw authErrors.invalid('data: must not be larger than 4 KiB')
  return parsed.data
}

function asEmailExists(error: unknown): never {
  if (error instanceof Error && 'code' in error && error.code === '23505')
    throw authErrors.emailExists()
  throw error
}

function answer(user: User): Response {
  return Response.json(presentUser(user), { headers: { 'Cache-Control': 'no-store' } })
}
