import { limitKey } from '../../http/client-address.ts'
import type { Policy } from '../../http/rate-limit.ts'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'

/** What a person can ask a mail for; each has its own minute. */
export type MailedFor =
  | 'confirmation'
  | 'recovery'
  | 'magiclink'
  | 'email_change'
  | 'reauthentication'

const oneAMinute: Policy = { name: 'mail', burst: 1, window: 60 }
/** Of one kind too: asking for what sends nothing, as a stranger can, uses up no one's way in. */
const perTarget: Policy = { name: 'mail target', burst: 6, window: 1_800 }
const perClient: Policy = { name: 'mail client', burst: 30, window: 3_600 }
/** Wrong codes for one target: a guesser who asks for a new one each minute gets no further than this. */
const wrongCodes: Policy = { name: 'mail code', burst: 20, window: 86_400 }

/**
 * Lets a mail be asked for once a minute for each address, whether an account has it or not, so that the refusal tells
 * nothing. Kept in the database as keyed digests: it holds across processes and restarts.
 *
 * @throws {AuthError} 429 over_email_send_rate_limit
 */
export async function admitMail(
  call: AuthCall,
  what: MailedFor,
  ...emails: string[]
): Promise<void> {
  if (!call.context.config.rateLimits) return
  // A refusal takes nothing back from the other budgets: it throws, and all of it is rolled back.
  await transaction(call, async (db) => {
    const usedUp = await take(db, perClient, limitKey(call.caller.address))
    if (usedUp !== undefined) throw authErrors.mailsUsedUp(usedUp)
    // In one order, or two requests with the same two addresses could wait for each other.
    for (const email of [...new Set(emails)].sort()) {
      const target = `${what} ${mark(call, email)}`
      const wait = (await take(db, oneAMinute, target)) ?? (await take(db, perTarget, target))
      if (wait !== undefined) throw authErrors.mailTooSoon(wait)
    }
  })
}

/**
 * Whether one more code may be tried. Links are never held back.
 *
 * @param target the address that anybody may name, or {@link codesOf} somebody who is signed in
 */
export async function mayTryCode(
  call: AuthCall,
  db: Transaction,
  target: string,
): Promise<boolean> {
  if (!call.context.config.rateLimits) return true
  const { rows } = await db.query<{ is_empty: boolean }>(
    `select ${refilled} < 1 as is_empty from auth.budgets b where key = $1`,
    [keyOf(wrongCodes, mark(call, target)), wrongCodes.burst, wrongCodes.window],
  )
  return !rows[0]?.is_empty
}

/**
 * Counts a code that was not good. Where none was on its way nobody can have guessed, and what the owner will get stays
 * good; the same work is done all the same, so that its time does not tell whether one was.
 */
export async function noteWrongCode(
  call: AuthCall,
  db: Transaction,
  target: string,
  isGuess: boolean,
): Promise<void> {
  if (!call.context.config.rateLimits) return
  const key = mark(call, target)
  await take(db, wrongCodes, isGuess ? key : `in vain ${key}`)
}

/** The target of the codes that somebody asks for who is signed in: no stranger can use it up. */
export function codesOf(userId: string): string {
  return `user ${userId}`
}

function mark({ context }: AuthCall, target: string): string {
  return context.secretBox.digest(target, 'mail budgets')
}

function keyOf(policy: Policy, key: string): string {
  return `${policy.name} ${key}`
}

/** @returns undefined when a token was there and is taken, else the seconds to wait */
async function take(db: Transaction, policy: Policy, key: string): Promise<number | undefined> {
  const values = [keyOf(policy, key), policy.burst, policy.window]
  const { rowCount } = await db.query(
    `insert into auth.budgets as b (key, tokens, at) values ($1, $2::float8 - 1, now())
      on conflict (key) do update set tokens = ${refilled} - 1, at = greatest(b.at, now()) where ${refilled} >= 1`,
    values,
  )
  if (rowCount === 1) return undefined
  const { rows } = await db.query<{ wait: number }>(
    `select ceil((1 - ${refilled}) * $3::float8 / $2::float8)::int as wait from auth.budgets b where key = $1`,
    values,
  )
  return Math.max(1, rows[0]?.wait ?? 1)
}

/** What a bucket holds by now. A request that began before another may come after it. */
const refilled =
  'least($2::float8, b.tokens + greatest(0, extract(epoch from now() - b.at)::float8) * $2::float8 / $3::float8)'
