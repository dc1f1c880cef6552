import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { isUniqueViolation } from '../../primitives/error-code.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { asLastAdmin } from '../account.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { dropTokens } from '../email-flows/one-time-tokens.ts'
import { authErrors } from '../errors.ts'
import { findFactor, removeFactor } from '../factors/factor-rows.ts'
import { presentFactor, presentUser } from '../present-user.ts'
import { recordEvent } from '../record-event.ts'
import { endSessions } from '../sessions.ts'
import { mergeMetadata } from '../user.ts'
import {
  findUser,
  insertUser,
  listUsers,
  lockAccount,
  markEmailProven,
  putEmailIdentity,
  updateUser,
  type User,
} from '../users.ts'
import { readPage } from './paging.ts'
import { newUserInput, readUserInput, userInput, type UserInput } from './user-input.ts'

/** The account that the path names. @throws {AuthError} 404 */
function namedUser({ params }: AuthCall): string {
  const { user = '' } = params
  if (!isUuid(user)) throw authErrors.noSuchUser()
  return user
}

/** GET /admin/users?page=&per_page=: all accounts, newest first. */
export async function getUsers(call: AuthCall): Promise<Response> {
  const { rows, headers } = await readPage(call, 'users', listUsers)
  return Response.json({ users: rows.map(presentUser), aud: 'authenticated' }, { headers })
}

/** GET /admin/users/{id} */
export async function readUser(call: AuthCall): Promise<Response> {
  return answer(await existingUser(call))
}

async function existingUser(call: AuthCall): Promise<User> {
  const user = await transaction(call, (db) => findUser(db, namedUser(call)))
  if (!user) throw authErrors.noSuchUser()
  return user
}

/**
 * POST /admin/users: an account as the operator specifies it; without a password its person signs in with an emailed link.
 * The operator made it, so no link clears it, unless the operator says that a stranger typed the data.
 */
export async function createUser(call: AuthCall): Promise<Response> {
  const input = await readUserInput(call, newUserInput)
  const { email, passwordHash = null } = input
  if (email === undefined)
    throw authErrors.invalid('Cannot create a user without either an email or phone')
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
    await changeReserved(db, id, input)
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
  const input = await readUserInput(call, userInput)
  const { email, passwordHash, user_metadata: metadata, banSeconds } = input
  const isBanned = banSeconds === undefined ? undefined : banSeconds > 0
  const user = await transaction(call, async (db) => {
    const before = await lockAccount(db, id)
    if (!before) throw authErrors.noSuchUser()
    const newEmail = email === before.email ? undefined : email
    await updateUser(db, id, {
      email: newEmail,
      isProven: vouchesFor(input),
      passwordHash,
      metadata: metadata ? mergeMetadata(before.user_metadata, metadata) : undefined,
    })
    const address = email ?? before.email
    if (input.email_confirm && address !== null) await confirm(db, id, address)
    await changeReserved(db, id, input)
    if (newEmail !== undefined || passwordHash !== undefined || isBanned) {
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
    banned: isBanned,
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
  await markEmailProven(db, id)
  await putEmailIdentity(db, id, email, true)
}

/** Fields that people cannot change themselves. */
async function changeReserved(
  db: Transaction,
  id: string,
  { app_metadata, banSeconds }: UserInput,
): Promise<void> {
  if (app_metadata) {
    const before = await lockAccount(db, id)
    const merged = mergeMetadata(before?.app_metadata ?? {}, app_metadata)
    await db.query('update auth.users set app_metadata = $2, updated_at = now() where id = $1', [
      id,
      JSON.stringify(merged),
    ])
  }
  if (banSeconds === undefined) return
  await db.query(
    `update auth.users set banned_until = case when $2::float8 > 0 then now() + make_interval(secs => $2) end,
        updated_at = now()
      where id = $1`,
    [id, banSeconds],
  )
}

/** A taken address does not throw, so a unique violation is about the id. */
function asIdTaken(error: unknown): never {
  if (isUniqueViolation(error)) throw authErrors.userIdExists()
  throw error
}

function answer(user: User): Response {
  return Response.json(presentUser(user))
}

/** GET /admin/users/{id}/factors */
export async function getFactors(call: AuthCall): Promise<Response> {
  return Response.json((await existingUser(call)).factors.map(presentFactor))
}

/** DELETE /admin/users/{id}/factors/{factor}: for a person who has lost the phone. */
export async function deleteFactorAsOperator(call: AuthCall): Promise<Response> {
  const id = namedUser(call)
  const factor = await transaction(call, async (db) => {
    const account = await lockAccount(db, id)
    if (!account) throw authErrors.noSuchUser()
    const found = await findFactor(db, id, call.params['factor'])
    if (!found) throw authErrors.factorNotFound()
    await removeFactor(db, account, found)
    return found
  })
  call.deps.mail.wake()
  recordEvent(call, 'factor removed by the operator', { user_id: id, factor_id: factor.id })
  return Response.json({ id: factor.id })
}
