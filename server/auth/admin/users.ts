import { isUniqueViolation } from '../../primitives/error-code.ts'
import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { asLastAdmin } from '../account/delete-account.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { normalizeEmail } from '../credentials.ts'
import { authErrors } from '../errors.ts'
import { dropTokens } from '../email-flows/one-time-tokens.ts'
import { presentUser } from '../present-user.ts'
import { endSessions } from '../sessions.ts'
import { mergeMetadata } from '../user.ts'
import { findUser, insertUser, putEmailIdentity, updateUser, type User } from '../users.ts'
import {
  banSeconds,
  checkUserInput,
  newUserInput,
  passwordHashOf,
  userInput,
  type UserInput,
} from './user-input.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The account that the path names. @throws {AuthError} 404 */
export function namedUser({ params }: AuthCall): string {
  const { user = '' } = params
  if (!uuid.test(user)) throw authErrors.noSuchUser()
  return user
}

/** GET /admin/users/{id} */
export async function readUser(call: AuthCall): Promise<Response> {
  const user = await transaction(call, (db) => findUser(db, namedUser(call)))
  if (!user) throw authErrors.noSuchUser()
  return answer(user)
}

/**
 * POST /admin/users: an account as the operator specifies it; without a password its person signs in with an emailed link.
 * The operator made it, so no link clears it, unless the operator says that a stranger typed the data.
 */
export async function createUser(call: AuthCall): Promise<Response> {
  const input = await readBody(call, newUserInput)
  checkUserInput(input)
  if (!input.email)
    throw authErrors.invalid('Cannot create a user without either an email or phone')
  const email = normalizeEmail(input.email)
  const banned = input.ban_duration == null ? undefined : banSeconds(input.ban_duration)
  const passwordHash = (await passwordHashOf(call, input)) ?? null
  const user = await transaction(call, async (db) => {
    const id = await insertUser(db, {
      ...(input.id && { id: input.id }),
      email,
      passwordHash,
      confirmed: input.email_confirm === true,
      proven: vouchesFor(input),
      metadata: input.user_metadata ?? {},
    }).catch(asIdTaken)
    if (id === undefined) throw authErrors.emailExists()
    if (input.email_confirm) await confirm(db, id, email)
    await change(db, id, input, banned)
    return findUser(db, id)
  })
  if (!user) throw new Error('an inserted account was not found')
  recordEvent(call, 'account made by the operator', { user_id: user.id })
  return answer(user)
}

/**
 * PUT /admin/users/{id}. A new password, a new address and a ban end every session of the account at once. A new address
 * counts at once on the operator's word, and the person keeps the password.
 */
export async function changeUserAsOperator(call: AuthCall): Promise<Response> {
  const id = namedUser(call)
  const input = await readBody(call, userInput)
  checkUserInput(input)
  const email = input.email ? normalizeEmail(input.email) : undefined
  const banned = input.ban_duration == null ? undefined : banSeconds(input.ban_duration)
  const passwordHash = await passwordHashOf(call, input)
  const user = await transaction(call, async (db) => {
    const before = await findUser(db, id)
    if (!before) throw authErrors.noSuchUser()
    const newEmail = email === before.email ? undefined : email
    await updateUser(db, id, {
      ...(newEmail !== undefined && { email: newEmail, isProven: vouchesFor(input) }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(input.user_metadata && {
        metadata: mergeMetadata(before.user_metadata, input.user_metadata),
      }),
    }).catch(asEmailExists)
    const address = email ?? before.email
    if (input.email_confirm && address !== null) await confirm(db, id, address)
    await change(db, id, input, banned)
    if (newEmail !== undefined || passwordHash !== undefined || (banned ?? 0) > 0) {
      await dropTokens(db, id)
      await endSessions(db, { user: id })
    }
    return findUser(db, id)
  })
  if (!user) throw authErrors.noSuchUser()
  recordEvent(call, 'account changed by the operator', {
    user_id: user.id,
    email: email !== undefined,
    password: passwordHash !== undefined,
    banned: banned === undefined ? undefined : banned > 0,
  })
  return answer(user)
}

const deletion = z.object({ should_soft_delete: z.boolean().nullish() })

/** DELETE /admin/users/{id}: deletes the account with everything in it, with an entry in the audit log. */
export async function deleteUser(call: AuthCall): Promise<Response> {
  const id = namedUser(call)
  const hasBody = call.request.headers.has('content-type')
  const input = hasBody ? await readBody(call, deletion) : undefined
  if (input?.should_soft_delete) throw authErrors.noSoftDeletion()
  const { requestId } = call.info
  const { rowCount } = await call.deps.database
    .transactionAs({ role: 'service_role', requestId }, (db) =>
      db.query('delete from api.profiles where id = $1', [id]),
    )
    .catch(asLastAdmin)
  if (!rowCount) throw authErrors.noSuchUser()
  recordEvent(call, 'account deleted by the operator', { user_id: id })
  return Response.json({})
}

/**
 * Whether the operator vouches for the data of the account. An explicit `email_confirm: false` marks data that a stranger
 * typed; the account is then treated like a sign-up (email-flows/redeem.ts).
 */
function vouchesFor({ email_confirm: isConfirmed }: UserInput): boolean {
  return isConfirmed !== false
}

/** The operator's confirmation of the address counts as proof. */
async function confirm(db: Transaction, id: string, email: string): Promise<void> {
  await db.query(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()),
        email_proven_at = coalesce(email_proven_at, now())
      where id = $1`,
    [id],
  )
  await putEmailIdentity(db, id, email, true)
}

/** Fields that people cannot change themselves. */
async function change(
  db: Transaction,
  id: string,
  { app_metadata }: UserInput,
  banned: number | undefined,
): Promise<void> {
  if (app_metadata) {
    const { rows } = await db.query<Pick<User, 'app_metadata'>>(
      'select app_metadata from auth.users where id = $1 for update',
      [id],
    )
    const merged = mergeMetadata(rows[0]?.app_metadata ?? {}, app_metadata)
    await db.query('update auth.users set app_metadata = $2, updated_at = now() where id = $1', [
      id,
      JSON.stringify(merged),
    ])
  }
  if (banned === undefined) return
  await db.query(
    `update auth.users set banned_until = case when $2::float8 > 0 then now() + make_interval(secs => $2) end,
        updated_at = now()
      where id = $1`,
    [id, banned],
  )
}

/** A taken address does not throw, so a unique violation is about the id. */
function asIdTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw authErrors.userIdExists()
  throw error
}

function asEmailExists(error: unknown): never {
  if (isUniqueViolation(error)) throw authErrors.emailExists()
  throw error
}

function answer(user: User): Response {
  return Response.json(presentUser(user), { headers: { 'Cache-Control': 'no-store' } })
}
