import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { clientAddress, limitKey } from '../http/client-address.ts'
import type { Policy, RateLimits } from '../http/rate-limit.ts'

/** Keeps one address from trying codes until some exist. */
export interface MissLimit {
  /** Seconds that this client has to wait before it may open anything, or undefined. Asked on every visit. */
  blockedFor(request: IncomingMessage): number | undefined
  /** To be told of each miss. Seconds to wait when there were too many. */
  missed(request: IncomingMessage): number | undefined
}

const policy: Policy = { name: 'visit-miss', burst: 30, window: 60 }

/**
 * 30 misses a minute and address. Whoever has used them up waits for the next one (two seconds), also with codes that
 * exist: an answer to those alone would tell which do, as fast as one can ask.
 */
export function createMissLimit(
  rateLimits: RateLimits,
  trustedProxies: number,
  now: () => number,
): MissLimit {
  const blockedUntil = new LRUCache<string, number>({ max: 100_000 })
  const keyOf = (request: IncomingMessage) =>
    limitKey(clientAddress(request.socket.remoteAddress, forwardedFor(request), trustedProxies))
  return {
    blockedFor(request) {
      if (blockedUntil.size === 0) return undefined
      const key = keyOf(request)
      const until = blockedUntil.get(key)
      if (until === undefined) return undefined
      const left = until - now()
      if (left > 0) return Math.ceil(left / 1000)
      blockedUntil.delete(key)
      return undefined
    },
    missed(request) {
      const key = keyOf(request)
      const wait = rateLimits.take(policy, key)
      if (wait !== undefined) blockedUntil.set(key, now() + wait * 1000)
      return wait
    },
  }
}

function forwardedFor({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
