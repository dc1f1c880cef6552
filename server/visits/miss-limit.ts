import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { clientAddress, limitKey } from '../http/client-address.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'

/** Keeps one address from trying codes until some exist. */
export interface VisitMissLimit {
  /** True while any address has to wait. */
  blocksAnyone(): boolean
  /** Seconds that this client has to wait before it may open anything, or undefined. Asked on every visit. */
  blockedFor(request: IncomingMessage): number | undefined
  /** To be told of each miss. Seconds to wait when there were too many. */
  missed(request: IncomingMessage): number | undefined
}

const policy: BucketPolicy = { name: 'visit-miss', burst: 30, windowSeconds: 60 }

/**
 * 30 misses a minute and address. Whoever has used them up waits for the next one (two seconds), also with codes that
 * exist: an answer to those alone would tell which do, as fast as one can ask.
 */
export function createVisitMissLimit(
  rateLimits: RateLimits,
  trustedProxies: number,
  now: () => number,
): VisitMissLimit {
  const blockedUntil = new LRUCache<string, number>({ max: 100_000 })
  let lastBlockEnds = Number.NEGATIVE_INFINITY
  const blocksAnyone = () => lastBlockEnds > now()
  const keyOf = (request: IncomingMessage) =>
    limitKey(clientAddress(request.socket.remoteAddress, forwardedFor(request), trustedProxies))
  return {
    blocksAnyone,
    blockedFor(request) {
      if (!blocksAnyone()) return undefined
      const key = keyOf(request)
      const until = blockedUntil.get(key)
      if (until === undefined) return undefined
      const left = until - now()
      return left > 0 ? Math.ceil(left / 1000) : undefined
    },
    missed(request) {
      const key = keyOf(request)
      const wait = rateLimits.take(policy, key)
      if (wait !== undefined) {
        lastBlockEnds = Math.max(lastBlockEnds, now() + wait * 1000)
        blockedUntil.set(key, now() + wait * 1000)
      }
      return wait
    },
  }
}

function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
