import type { IncomingMessage } from 'node:http'
import { addressOf, clientAddress, limitKey } from '../../http/client-address.ts'
import type { BucketPolicy, RateLimits } from '../../primitives/token-bucket.ts'
import { createLru } from '../../primitives/lru.ts'

const perAddress: BucketPolicy = { name: 'visit-miss', burst: 30, windowSeconds: 60 }
/** All visitors behind a proxy that TRUSTED_PROXIES does not cover share this limit; each also has the one above. */
const perUntrustedProxy: BucketPolicy = { name: 'visit-miss-proxy', burst: 300, windowSeconds: 60 }

/** Limits how many codes that do not exist an address may try. */
export type VisitMissLimit = ReturnType<typeof createVisitMissLimit>

/**
 * Allows 30 misses a minute for each address, then one every two seconds. A blocked client gets the same response for
 * every code that is not in memory, so that it cannot tell which ones exist.
 *
 * Codes in memory are not blocked. They were visited recently, so they are hardly secret, and a scanner must not break
 * working links for other people behind its address. See docs/decisions/0033.
 */
export function createVisitMissLimit(
  rateLimits: RateLimits,
  trustedProxies: number,
  now: () => number,
) {
  const blockedUntil = createLru<number>(100_000)
  let lastBlockEnds = Number.NEGATIVE_INFINITY
  const blocksAnyone = () => lastBlockEnds > now()
  return {
    /** True while at least one address has to wait. */
    blocksAnyone,
    /** Seconds until this client may open a code that is not in memory; undefined when it may do so now. */
    waitOf(request: IncomingMessage): number | undefined {
      if (!blocksAnyone()) return undefined
      const waits = keysOf(request, trustedProxies).map(
        ({ key }) => (blockedUntil.get(key) ?? 0) - now(),
      )
      const waitMs = Math.max(...waits)
      return waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
    },
    /** Counts a miss. Returns the seconds to wait if there were too many. */
    countMiss(request: IncomingMessage): number | undefined {
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
 * The limits that a miss counts against. X-Forwarded-For without TRUSTED_PROXIES comes from a proxy that is missing in
 * the settings, or from a client that forged it. Each claimed visitor then has its own limit, and the limit of the
 * sender's address bounds how many misses forged visitors can make.
 */
function keysOf(
  request: IncomingMessage,
  trustedProxies: number,
): { policy: BucketPolicy; key: string }[] {
  const forwardedFor = request.headers['x-forwarded-for']?.toString()
  const key = limitKey(addressOf(request, trustedProxies))
  if (forwardedFor === undefined || trustedProxies > 0) return [{ policy: perAddress, key }]
  const visitor = limitKey(clientAddress(undefined, forwardedFor, 1))
  return [
    { policy: perAddress, key: `${key} for ${visitor}` },
    { policy: perUntrustedProxy, key: `proxy ${key}` },
  ]
}
