import { limitKey } from '../http/client-address.ts'
import type { BucketPolicy, RateLimits } from '../primitives/token-bucket.ts'
import type { Identity } from '../tokens/tokens.ts'
import { problems } from './errors.ts'

/** 600 requests a minute, 200 of them at once: more than the busiest screen sends, too few to scrape with. */
const requests: BucketPolicy = { name: 'tables', burst: 200, windowSeconds: 20 }
/** Counting visits from outside: one address, and one address at one link. */
const visits: BucketPolicy = { name: 'tables-visits', burst: 60, windowSeconds: 60 }
const visitsOfOne: BucketPolicy = { name: 'tables-visits-of-one', burst: 5, windowSeconds: 60 }
/** Look-ups of codes that do not exist: at this rate one address needs many years for all 36^6 codes. */
const missedGuesses: BucketPolicy = { name: 'tables-guesses', burst: 30, windowSeconds: 60 }
/** Changed rows of an account: each leaves an old version behind. */
const changedRows: BucketPolicy = { name: 'tables-rows', burst: 5_000, windowSeconds: 300 }
/** Kilobytes that an account writes: 8 MB at once, 4 MB a minute. Replaced values stay behind as old versions. */
const writtenKilobytes: BucketPolicy = { name: 'tables-bytes', burst: 8_192, windowSeconds: 120 }

export type Limits = ReturnType<typeof limitsFor>

/** The limits of this door for one client address. Each throws 429 when its bucket is empty. */
export function limitsFor(rateLimits: RateLimits, address: string) {
  const client = limitKey(address)
  const take = (policy: BucketPolicy, key: string, tokens?: number) => {
    const wait = rateLimits.take(policy, key, tokens)
    if (wait !== undefined) throw problems.tooManyRequests(wait)
  }
  return {
    request: () => take(requests, client),
    /** Before they are changed: also a change that is rolled back leaves old versions. */
    change({ role, claims }: Identity, rows: number) {
      if (role === 'authenticated') take(changedRows, String(claims.sub), rows)
    },
    /**
     * Before they are written, also by a change that is rolled back.
     *
     * @param given values to store, in each of `rows` rows
     */
    write({ role, claims }: Identity, given: unknown, rows = 1) {
      if (role !== 'authenticated') return
      const bytes = Buffer.byteLength(JSON.stringify(given) ?? '')
      take(writtenKilobytes, String(claims.sub), Math.ceil((rows * bytes) / 1_024))
    },
    visit(name: string) {
      take(visitsOfOne, `${client} ${name.slice(0, 64).toLowerCase()}`)
      take(visits, client)
    },
    /** Stops an address that looks up code after code in search of one that exists. */
    checkGuesses() {
      if (!rateLimits.peek(missedGuesses, client)) throw problems.tooManyRequests(2)
    },
    giveGuessBack: () => rateLimits.giveBack(missedGuesses, client),
    missedGuess: () => void rateLimits.take(missedGuesses, client),
    /** Claiming a name tells whether it exists, also in a transaction that is rolled back: each name is a guess. */
    claim(names: number) {
      for (let claimed = 0; claimed < names; claimed++) take(missedGuesses, client)
    },
  }
}
