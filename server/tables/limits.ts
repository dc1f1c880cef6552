import { limitKey } from '../http/client-address.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'
import { problems } from './errors.ts'

/** 600 requests a minute, 200 of them at once: more than the busiest screen sends, less than a scraper wants. */
const requests: BucketPolicy = { name: 'tables', burst: 200, windowSeconds: 20 }
/** Counting visits from outside: one address, and one address at one link. */
const visits: BucketPolicy = { name: 'tables-visits', burst: 60, windowSeconds: 60 }
const visitsOfOne: BucketPolicy = { name: 'tables-visits-of-one', burst: 5, windowSeconds: 60 }
/** Looking for codes that are not there: 36^6 codes take an address many years at this pace. */
const guesses: BucketPolicy = { name: 'tables-guesses', burst: 30, windowSeconds: 60 }

/** Stops an address that looks up code after code that nobody has. */
export interface MissLimit {
  /** @throws {ProtocolError} 429 */
  check(): void
  count(): void
}

/** The limits of this door for one client address. Each throws 429 when its bucket is empty. */
export function limitsFor(rateLimits: RateLimits, address: string) {
  const client = limitKey(address)
  const take = (policy: BucketPolicy, key: string) => {
    const wait = rateLimits.take(policy, key)
    if (wait !== undefined) throw problems.tooManyRequests(wait)
  }
  const misses: MissLimit = {
    check() {
      if (!rateLimits.peek(guesses, client)) throw problems.tooManyRequests(2)
    },
    count() {
      rateLimits.take(guesses, client)
    },
  }
  return {
    request: () => take(requests, client),
    visit(name: string) {
      take(visitsOfOne, `${client} ${name.slice(0, 64).toLowerCase()}`)
      take(visits, client)
    },
    misses,
  }
}

export type Limits = ReturnType<typeof limitsFor>
