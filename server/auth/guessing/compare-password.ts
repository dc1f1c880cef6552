import { canonicalPassword } from '#domain/forms/passwords.ts'
import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow } from '../../postgres/rows.ts'
import type { AuthCall } from '../call.ts'
import { type AuthError, authErrors } from '../errors.ts'
import type { SignedInCall } from '../guards.ts'
import { policies } from '../limits.ts'
import { emailMark, recordEvent, recordOwnEvent } from '../record-event.ts'
import type { GuessOutcome } from './guess-guard.ts'
import type { TakenToken } from './unknown-networks.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { createConcurrencyLimit } from '../../primitives/concurrency-limit.ts'

export type PasswordComparison =
  | { kind: 'wrong'; userId: string | undefined }
  /** The caller returns the tokens (`budgets.giveBack`): a right password counts nowhere. */
  | { kind: 'right'; account: SignInAccount; tokens: TakenToken[] }

interface Compared {
  email: string
  password: string
  /** A sign-in, which counts against the client's address unless the password is right. */
  isSignIn: boolean
}

/**
 * Compares a password with that of an account, as often as the guess guard allows: one transaction, then the hash. An
 * account that does not exist takes as long.
 *
 * @throws {AuthError} 429 when it is too early to compare, or the address has no sign-in left
 */
export async function comparePassword(
  call: AuthCall,
  { email, password, isSignIn }: Compared,
): Promise<PasswordComparison> {
  const { guesses, budgets, hasher } = call.deps
  const { address } = call.info
  const request: TakenToken = [policies.token, limitKey(address)]
  const guess = await guesses.start({ email, address, password: canonicalPassword(password) })
  const tooEarly = (wait: number) => {
    if (isSignIn) recordEvent(call, 'sign-in held back', { account: emailMark(email) })
    return authErrors.tooManyAttempts(wait)
  }
  if (guess.wait !== undefined) throw tooEarly(guess.wait)
  const { rateLimits, config } = call.deps
  let outcome: GuessOutcome = 'abandoned'
  try {
    const { wait, account } = await budgets.transaction(async (db, buckets) => {
      const refused = isSignIn ? await buckets.takeShared(...request) : undefined
      if (refused !== undefined) throw authErrors.tooManyRequests(refused)
      const account = await findSignInAccount(db, email)
      return { account, wait: await guess.admit(buckets, account?.known_addresses ?? []) }
    })
    if (wait !== undefined) throw tooEarly(wait)
    if (!rateLimits.peek(policies.rightPassword, email)) throw tooEarly(6)
    // Only those that the guard has admitted take a slot: strangers cannot keep the owner waiting.
    const compare = () => hasher.verify(password, account?.encrypted_password)
    const matches = orThrow(
      config.rateLimits ? await inPlaceOf(email, compare) : await compare(),
      () => tooEarly(1),
    )
    outcome = matches ? 'right' : 'wrong'
    if (!matches || !account) return { kind: 'wrong', userId: account?.id }
    rateLimits.take(policies.rightPassword, email)
    const tokens = guess.settle(outcome)
    return { kind: 'right', account, tokens: isSignIn ? [...tokens, request] : tokens }
  } finally {
    if (outcome !== 'right') await returnTokens(call, guess.settle(outcome))
  }
}

/** How many passwords of an account are compared at the moment. */
const comparing = createConcurrencyLimit(2)

/** @returns undefined when the account has no slot left */
async function inPlaceOf<T>(email: string, work: () => Promise<T>): Promise<T | undefined> {
  const leave = comparing.take(email)
  if (!leave) return undefined
  try {
    return await work()
  } finally {
    leave()
  }
}

async function returnTokens({ deps }: AuthCall, tokens: readonly TakenToken[]): Promise<void> {
  for (const token of tokens) await deps.budgets.giveBack(...token)
}

/**
 * Asks a signed-in person for the password. Guesses count like those of a sign-in.
 *
 * @throws {AuthError} `refusal` for a wrong password, 429 for too many
 */
export async function requireOwnPassword(
  call: SignedInCall,
  password: string,
  refusal: AuthError,
): Promise<void> {
  const email = call.user.email ?? ''
  const compared = await comparePassword(call, { email, password, isSignIn: false })
  if (compared.kind === 'right') return returnTokens(call, compared.tokens)
  recordOwnEvent(call, 'password refused', { account: emailMark(email) })
  throw refusal
}

/** Data that a sign-in reads before the person is known. */
interface SignInAccount {
  id: string
  encrypted_password: string | null
  /** From where the owner is signed in. Sessions of apps do not count: an app may run anywhere. */
  known_addresses: string[]
}

/** Reads the account of an email address in one query, whether it exists or not. */
export function findSignInAccount(
  db: Transaction,
  email: string,
): Promise<SignInAccount | undefined> {
  return firstRow(
    db,
    `select u.id, u.encrypted_password, array(
        select distinct s.ip from auth.sessions s
          where s.user_id = u.id and s.ip is not null and s.oauth_client_id is null limit 200) as known_addresses
      from auth.users u where u.email = $1`,
    [email],
  )
}
