import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import { hasToken, takeToken } from '../../postgres/token-bucket.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import { type AuthCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'

/** What people can request an email for, with the words for the person who has to wait. Each has limits of its own. */
const requestable = {
  confirmation: 'another confirmation email',
  recovery: 'another password reset email',
  magiclink: 'another sign-in email',
  email_change: 'another email for a change of address',
  reauthentication: 'another confirmation code',
}

export type RequestableEmail = keyof typeof requestable

const onePerMinute: BucketPolicy = { name: 'mail', burst: 1, windowSeconds: 60 }
const perTarget: BucketPolicy = { name: 'mail target', burst: 6, windowSeconds: 1_800 }
const perClient: BucketPolicy = { name: 'mail client', burst: 30, windowSeconds: 3_600 }
/** Wrong codes for one target. Requesting a new code each minute does not get a guesser any further. */
const wrongCodes: BucketPolicy = { name: 'mail code', burst: 20, windowSeconds: 86_400 }

/**
 * Admits one email of a kind per minute to each address, whether it has an account or not, so that a refusal tells
 * nothing. Addresses are stored as keyed digests.
 *
 * @throws {AuthError} 429 over_email_send_rate_limit
 */
export async function admitMail(
  call: AuthCall,
  what: RequestableEmail,
  ...emails: string[]
): Promise<void> {
  if (!call.deps.config.rateLimits) return
  // A refusal throws, and the rollback returns the tokens of the other buckets.
  await transaction(call, async (db) => {
    const usedUp = await takeToken(db, perClient, limitKey(call.info.address))
    if (usedUp !== undefined) throw authErrors.mailsUsedUp(usedUp)
    // Sorted, so that two requests with the same two addresses cannot deadlock.
    for (const email of [...new Set(emails)].sort()) {
      const target = `${what} ${digestOf(call, email)}`
      const wait =
        (await takeToken(db, onePerMinute, target)) ?? (await takeToken(db, perTarget, target))
      if (wait !== undefined) throw authErrors.mailTooSoon(requestable[what], wait)
    }
  })
}

/**
 * Whether one more code may be tried. Links are never refused.
 *
 * @param target an email address, which anybody may name, or {@link codesOf} a signed-in person
 */
export async function mayTryCode(
  call: AuthCall,
  db: Transaction,
  target: string,
): Promise<boolean> {
  if (!call.deps.config.rateLimits) return true
  return hasToken(db, wrongCodes, digestOf(call, target))
}

/** Counts a wrong code that could have been right. */
export async function countWrongCode(
  call: AuthCall,
  db: Transaction,
  target: string,
): Promise<void> {
  if (call.deps.config.rateLimits) await takeToken(db, wrongCodes, digestOf(call, target))
}

/** The target for the codes that a signed-in person requests: nobody else can use it up. */
export function codesOf(userId: string): string {
  return `user ${userId}`
}

function digestOf({ deps }: AuthCall, target: string): string {
  return deps.secretBox.digest(target, 'mail budgets')
}
