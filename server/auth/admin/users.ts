import * as z from 'zod'
import { accountDeletionMs } from '../../postgres/begin.ts'
import type { Transaction } from '../../postgres/database.ts'
import { isUniqueViolation } from '../../primitives/error-code.ts'
import { asKept } from '../account.ts'
import { type AuthCall, readAccountBody, readOptionalBody, transaction } from '../call.ts'
import { checkNewPassword, metadata, normalizeEmail, optionalText } from '../credentials.ts'
import { dropTokens } from '../email-flows/one-time-tokens.ts'
import { authErrors } from '../errors.ts'
import { findFactor, removeFactor } from '../factors/factor-rows.ts'
import { presentFactor, presentUser } from '../present-user.ts'
import { recordEvent } from '../record-event.ts'
import { endSessions } from '../sessions.ts'
import { mergeMetadata } from '../user.ts'
import {
  emailProvider,
  findLockedUser,
  findUser,
  insertUser,
  lockAccount,
  markEmailProven,
  putEmailIdentity,
  updateUser,
  type User,
  userColumns,
} from '../users.ts'
import { readPage } from './paging.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { uuidParameter } from '../../http/router.ts'
import { replaceErrorWhen } from '../../primitives/caught-error.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** The fields that an operator's program may set (GoTrue's AdminUserParams). */
export const userInput = z.object({
  email: optionalText,
  phone: optionalText,
  password: optionalText,
  /** A bcrypt hash from another system, so that people keep their passwords when they move here. */
  password_hash: z
    .string()
    .regex(
      /^\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}$/,
      'must be a bcrypt hash of cost 4 to 14',
    )
    .nullish(),
  email_confirm: z.boolean().nullish(),
  user_metadata: metadata.nullish(),
  app_metadata: metadata.nullish(),
  ban_duration: optionalText,
  /** Whether a ban switches off the links, the page, the shared reports and the forms of the person too: true without it. */
  hide_published: z.boolean().nullish(),
  role: optionalText,
})

/** Fields of a new account only. A program that moves people here keeps their ids. */
export const newUserInput = userInput.extend({
  id: z
    .guid('must be a UUID')
    .refine((id) => !/^[0-]*$/.test(id), 'cannot be the nil UUID')
    .nullish(),
})

type UserInput = Awaited<ReturnType<typeof readUserInput>>

/** Refuses fields that have no meaning here instead of ignoring them. @throws {AuthError} */
async function readUserInput<Shape extends typeof userInput>(call: AuthCall, shape: Shape) {
  const input = await readAccountBody(call, shape)
  const { role, password, password_hash, ban_duration, hide_published } = input
  if (role && role !== 'authenticated')
    throw authErrors.invalid('role: only authenticated; admins are made with `npm run admin`')
  if (password && password_hash)
    throw authErrors.invalid('Only a password or a password hash should be provided')
  if (hide_published != null && (ban_duration == null || ban_duration === 'none'))
    throw authErrors.invalid('hide_published: only with the ban_duration of a ban')
  return {
    ...input,
    email: input.email ? normalizeEmail(input.email) : undefined,
    banSeconds: ifDefined(ban_duration, banSeconds),
    passwordHash: password_hash || (await hashOf(call, password)),
  }
}

async function hashOf(
  { deps }: AuthCall,
  password: string | null | undefined,
): Promise<string | undefined> {
  if (password == null) return undefined
  checkNewPassword(password, deps.config.auth.passwordMinLength)
  return deps.hasher.hash(password)
}

const unitSeconds: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 0.001 }
const maxBanSeconds = 1_000_000 * 3_600

/** Reads `none` as 0, and a length as Go writes it: `24h`, `1h30m`, `876000h`. */
function banSeconds(duration: string): number {
  if (duration === 'none') return 0
  const parts = [...duration.matchAll(/(\d{1,9}(?:\.\d{1,6})?)(ms|h|m|s)/g)]
  const seconds = parts.reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (unitSeconds[unit] ?? 0),
    0,
  )
  const isWhole = parts.map(([part]) => part).join('') === duration
  if (!isWhole || seconds <= 0 || seconds > maxBanSeconds)
    throw authErrors.invalid('invalid format for ban duration: use none, or a length such as 24h')
  return seconds
}

/** The account that the path names. @throws {AuthError} 404 */
const namedUser = (call: AuthCall) => uuidParameter(call, 'user', authErrors.noSuchUser)

/** GET /admin/users?page=&per_page=: all accounts, newest first. */
export async function getUsers(call: AuthCall): Promise<Response> {
  const { rows, headers } = await readPage<User>(call, 'users', userColumns)
  return Response.json({ users: rows.map(presentUser), aud: 'authenticated' }, { headers })
}

/** GET /admin/users/{id} */
export async function readUser(call: AuthCall): Promise<Response> {
  return answer(await existingUser(call))
}

async function existingUser(call: AuthCall): Promise<User> {
  return orThrow(
    await transaction(call, (db) => findUser(db, namedUser(call))),
    authErrors.noSuchUser,
  )
}

/**
 * POST /admin/users: an account as the operator specifies it; without a password its person signs in with an emailed link.
 * The operator made it, so no link clears it, unless the operator says that a stranger typed the data.
 */
export async function createUser(call: AuthCall): Promise<Response> {
  const input = await readUserInput(call, newUserInput)
  const email = orThrow(input.email, () =>
    authErrors.invalid('Cannot create a user without either an email or phone'),
  )
  const { passwordHash = null } = input
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
    const appMetadata = mergeMetadata(emailProvider, input.app_metadata)
    await updateUser(db, id, { appMetadata, banSeconds: input.banSeconds })
    await followBan(db, call, id, null, input)
    return findLockedUser(db, id)
  })
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
  const { email, passwordHash, user_metadata, app_metadata, banSeconds } = input
  const isBanned = ifDefined(banSeconds, (seconds) => seconds > 0)
  const user = await transaction(call, async (db) => {
    const before = orThrow(await lockAccount(db, id), authErrors.noSuchUser)
    const newEmail = email === before.email ? undefined : email
    await updateUser(db, id, {
      email: newEmail,
      isProven: vouchesFor(input),
      passwordHash,
      metadata: mergeMetadata(before.user_metadata, user_metadata),
      appMetadata: mergeMetadata(before.app_metadata, app_metadata),
      banSeconds,
    })
    await followBan(db, call, id, before.banned_until, input)
    const address = email ?? before.email
    if (input.email_confirm && address !== null) await confirm(db, id, address)
    if (newEmail !== undefined || passwordHash !== undefined || isBanned) {
      await dropTokens(db, id)
      await endSessions(db, { user: id })
    }
    return findLockedUser(db, id)
  })
  recordEvent(call, 'account changed by the operator', {
    user_id: user.id,
    email: email !== undefined,
    password: passwordHash !== undefined,
    banned: isBanned,
  })
  return answer(user)
}

/** Switches off or on the person's publications, and writes a line of the audit log when the ban differs from `before`. */
async function followBan(
  db: Transaction,
  { info }: AuthCall,
  id: string,
  before: Date | null,
  { banSeconds, hide_published }: UserInput,
): Promise<void> {
  if (banSeconds === undefined) return
  await db.query('select app.follow_ban($1, $2)', [id, hide_published ?? true])
  await db.query('select app.audit_ban($1, $2, $3)', [id, before, info.requestId])
}

export const userDeletionBody = z.object({ should_soft_delete: z.boolean().nullish() })

/** DELETE /admin/users/{id}: deletes the account with everything in it, with an entry in the audit log. */
export async function deleteUser(call: AuthCall): Promise<Response> {
  const id = namedUser(call)
  const input = await readOptionalBody(call, userDeletionBody)
  if (input?.should_soft_delete) throw authErrors.noSoftDeletion()
  const { requestId } = call.info
  const { rowCount } = await call.deps.database
    .transactionAs({ role: 'service_role', requestId, statementTimeout: accountDeletionMs }, (db) =>
      db.query('delete from api.profiles where id = $1', [id]),
    )
    .catch(asKept)
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

/** A taken address does not throw, so a unique violation is about the id. */
const asIdTaken = replaceErrorWhen(isUniqueViolation, authErrors.userIdExists)

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
    const account = orThrow(await lockAccount(db, id), authErrors.noSuchUser)
    const found = await findFactor(db, id, call.params['factor'])
    await removeFactor(db, account, found)
    return found
  })
  call.deps.mail.wake()
  recordEvent(call, 'factor removed by the operator', { user_id: id, factor_id: factor.id })
  return Response.json({ id: factor.id })
}
