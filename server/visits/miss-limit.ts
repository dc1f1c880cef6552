import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { LRUCache } from 'lru-cache'
import { clientAddress, limitKey } from '../http/client-address.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'

/** Keeps an address from trying codes until some exist. */
export interface VisitMissLimit {
  /** True while any address has to wait. */
  blocksAnyone(): boolean
  /** Seconds that this client has to wait before it may open a code that memory does not have; undefined: none. */
  waitOf(request: IncomingMessage): number | undefined
  /** Counts a miss. Returns the seconds to wait when there were too many. */
  countMiss(request: IncomingMessage): number | undefined
}

const perAddress: BucketPolicy = { name: 'visit-miss', burst: 30, windowSeconds: 60 }
/** For a proxy that is not in TRUSTED_PROXIES: its visitors have the limit above, and all of them together this one. */
const perUntrustedProxy: BucketPolicy = { name: 'visit-miss-proxy', burst: 300, windowSeconds: 60 }

interface LimitedKey {
  policy: BucketPolicy
  key: string
}

/**
 * 30 misses a minute for each address. After those the client waits for the next one (two seconds), also with codes that
 * exist and that nobody visited lately: an answer to those alone would tell which codes exist, as fast as one can ask.
 *
 * Codes in memory are not blocked. They were visited lately and are hardly secret, and a scanner must not take working
 * links away from everybody who shares its address. See docs/decisions/0033.
 */
export function createVisitMissLimit(
  rateLimits: RateLimits,
  trustedProxies: number,
  now: () => number,
): VisitMissLimit {
  const blockedUntil = new LRUCache<string, number>({ max: 100_000 })
  let lastBlockEnds = Number.NEGATIVE_INFINITY
  const blocksAnyone = () => lastBlockEnds > now()
  return {
    blocksAnyone,
    waitOf(request) {
      if (!blocksAnyone()) return undefined
      const waits = keysOf(request, trustedProxies).map(
        ({ key }) => (blockedUntil.get(key) ?? 0) - now(),
      )
      const waitMs = Math.max(...waits)
      return waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
    },
    countMiss(request) {
      for (const { policy, key } of keysOf(request, trustedProxies)) {
        const waitSeconds = rateLimits.take(policy, key)
        if (waitSeconds === undefined) continue
        const until = now() + waitSeconds * 1000
        lastBlockEnds = Math.max(lastBlockEnds, until)
        blockedUntil.set(key, until)
        return waitSeconds
      }
      return undefined
    },
  }
}

/**
 * What a miss counts against. X-Forwarded-For without TRUSTED_PROXIES means a proxy that was forgotten in the settings,
 * or a client that made the header up. The last address in it is then a visitor of that proxy, and the proxy's own
 * address bounds what made-up ones can reach.
 */
function keysOf(request: IncomingMessage, trustedProxies: number): LimitedKey[] {
  const forwardedFor = forwardedForOf(request)
  const address = clientAddress(request.socket.remoteAddress, forwardedFor, trustedProxies)
  const key = limitKey(address)
  if (forwardedFor === undefined || trustedProxies > 0) return [{ policy: perAddress, key }]
  const claimed = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim()
  const visitor = isIP(claimed) ? limitKey(claimed) : 'unknown'
  return [
    { policy: perAddress, key: `${key} for ${visitor}` },
    { policy: perUntrustedProxy, key: `proxy ${key}` },
  ]
}

function forwardedForOf({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-forwarded-for']
  return Array.isArray(value) ? value.join(',') : value
}
