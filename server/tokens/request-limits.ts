import type { RequestInfo } from '../http/router.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'
import { personOf } from './tokens.ts'
import type { Identity, Tokens } from './tokens.ts'

/** Requests of one API key: 600 a minute, 200 of them at once. */
const requestsOfKey: BucketPolicy = { name: 'api-key', burst: 200, windowSeconds: 20 }
/**
 * As many for all keys and apps of one account together, and again for its own sessions, wherever they are: programs that use up
 * theirs do not lock their owner out.
 */
const requestsOfAccount: BucketPolicy = { name: 'account', burst: 200, windowSeconds: 20 }

/**
 * Counts a request against its account and the API key that it came with, and notes in `info` the tighter of their limits, for the
 * headers of the answer.
 *
 * @returns `isKey` false for other callers; `wait` in seconds when no request is left
 */
export function countAccountRequest(
  { rateLimits, tokens }: { rateLimits: RateLimits; tokens: Tokens },
  identity: Identity,
  info: RequestInfo,
): { isKey: boolean; wait?: number | undefined } {
  if (identity.role !== 'authenticated') return { isKey: false }
  const { key_id: id, client_id: app } = identity.claims
  const isKey = typeof id === 'string'
  const account = [
    requestsOfAccount,
    `${personOf(identity.claims)} ${app === undefined ? 'person' : 'programs'}`,
  ] as const
  const buckets = isKey ? [[requestsOfKey, id] as const, account] : [account]
  if (isKey) tokens.apiKeys.recordUse(id, info.address)
  let wait: number | undefined
  for (const [policy, key] of buckets) wait ??= rateLimits.take(policy, key)
  for (const [policy, key] of buckets) {
    const left = rateLimits.left(policy, key)
    const isTighter = left && left.tokens < (info.rateLimit?.tokens ?? Infinity)
    if (isTighter) info.rateLimit = { policy, ...left }
  }
  return { isKey, wait }
}
