import { limitKey, wideLimitKey } from '../../http/client-address.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import type { Buckets } from '../protection/budgets.ts'
import { createLru } from '../../primitives/lru.ts'

/** A try to sign in with a password, before the password is hashed. */
export interface Attempt {
  /** The normalized email address, whether an account has it or not. */
  email: string
  address: string
  password: string
}

/** A token that an attempt took, to be returned unless its password was wrong. */
export type TakenToken = [policy: BucketPolicy, subject: string]

/** The token that lets a password be compared, or the seconds until there may be one. */
type Place = { wait: number } | { wait?: undefined; token: TakenToken }

interface UnknownNetworksDeps {
  /** A keyed digest: nothing else of an attempt is kept. */
  mark(...parts: string[]): string
  /** Milliseconds on a monotonic clock. */
  now(): number
}

/** Wrong passwords that an account forgives before it counts as under attack: 5 at once, 1 more each minute. */
const accountFailures: BucketPolicy = { name: 'account', burst: 5, windowSeconds: 300 }
/** Under attack, for guesses from a neighborhood that is new to the account: 2 at once, 9 more each minute. */
const newNeighborhoods: BucketPolicy = { name: 'new networks', burst: 2, windowSeconds: 13.4 }
/** Under attack, for all other guesses: 1 at once, 1 more each minute. */
const otherNeighborhoods: BucketPolicy = { name: 'other networks', burst: 1, windowSeconds: 60 }
/** A neighborhood is new to an account while it has sent at most one guess, twice, in 15 minutes. */
const neighborhoodGuesses: BucketPolicy = { name: 'neighborhood', burst: 2, windowSeconds: 900 }
/** Has a token while the network has not sent this guess in the last two minutes. */
const firstSend: BucketPolicy = { name: 'first send', burst: 1, windowSeconds: 120 }

/** Marks a guess that came from more than one neighborhood. */
const several = 'several'

const minuteMs = 60_000
const maxWaitSeconds = 60

/**
 * Decides which passwords from networks that an account's owner never used are compared: the rules for unknown networks in
 * the table in guess-guard.ts. The budgets are in the database, for all servers; which guesses were wrong, and where they
 * came from, is in memory for 15 minutes.
 */
export function createUnknownNetworks({ mark, now }: UnknownNetworksDeps) {
  const maxEntries = 100_000
  const remembered = { ttl: 15 * minuteMs, perf: { now } }
  const outcomes = createLru<'right' | 'wrong'>(maxEntries, remembered)
  /** The neighborhood that sent a guess first, or `several`. */
  const origins = createLru<string>(maxEntries, remembered)
  /** Neighborhoods from which the right password came. */
  const trusted = createLru<true>(maxEntries, { ...remembered, ttl: 30 * 24 * 60 * minuteMs })
  const neighborhoodOf = ({ email, address }: Attempt) =>
    mark('neighborhood', email, wideLimitKey(address))

  const comesFromSeveral = (guess: string, neighborhood: string): boolean => {
    const origin = origins.get(guess)
    if (origin !== neighborhood) origins.set(guess, origin === undefined ? neighborhood : several)
    return origin !== undefined && origin !== neighborhood && outcomes.get(guess) !== 'right'
  }

  return {
    async admit(buckets: Buckets, attempt: Attempt, guess: string): Promise<Place> {
      const { email, address } = attempt
      const take = async (policy: BucketPolicy, subject: string): Promise<Place> => {
        const wait = await buckets.take(policy, subject)
        return wait === undefined ? { token: [policy, subject] } : { wait }
      }
      const forgiven = await take(accountFailures, email)
      if (forgiven.wait === undefined) return forgiven
      if (outcomes.get(guess) === 'wrong') return { wait: maxWaitSeconds }

      const neighborhood = neighborhoodOf(attempt)
      const isShared = comesFromSeveral(guess, neighborhood)
      const isNew = (await buckets.take(neighborhoodGuesses, neighborhood)) === undefined
      // Of the guess only 20 bits: enough to recognize it, and useless to a reader of the table.
      const trace = JSON.stringify([email, limitKey(address), guess.slice(0, 5)])
      if ((await buckets.take(firstSend, trace)) === undefined) return { wait: 1 }

      const place =
        !isShared && (isNew || trusted.has(neighborhood))
          ? await take(newNeighborhoods, email)
          : { wait: maxWaitSeconds }
      if (place.wait === undefined) return place
      // The person is told to come again with the same guess, and must still be new then.
      if (isNew) await buckets.giveBack(neighborhoodGuesses, neighborhood)
      const last = await take(otherNeighborhoods, email)
      return last.wait === undefined ? last : { wait: Math.min(last.wait, place.wait) }
    },
    wasRight(attempt: Attempt, guess: string) {
      outcomes.set(guess, 'right')
      trusted.set(neighborhoodOf(attempt), true)
    },
    wasWrong: (guess: string) => outcomes.set(guess, 'wrong'),
  }
}
