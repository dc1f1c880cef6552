import { LRUCache } from 'lru-cache'
import { limitKey, wideLimitKey } from '../http/client-address.ts'
import type { Policy } from '../http/rate-limit.ts'
import type { Attempt } from './attempts.ts'
import type { Budgets } from './protection/budgets.ts'

/** A place that was taken, or the seconds until there may be one. */
export type Place = { wait: number } | { wait?: undefined; giveBack(): Promise<void> }

/** Which strangers' passwords are compared, from networks that an account's owner never signed in from. */
export interface Strangers {
  admit(attempt: Attempt, guess: string): Promise<Place>
  wasRight(attempt: Attempt, guess: string): void
  wasWrong(guess: string): void
}

interface Surroundings {
  budgets: Budgets
  /** A keyed digest: nothing else of an attempt is kept. */
  mark(...parts: string[]): string
  now(): number
}

/** Failures an account forgives before strangers are put on probation: 5 at once, 1 more each minute. */
const free: Policy = { name: 'account', burst: 5, window: 300 }
/** Strangers on probation whose neighbourhood and guess are new to the account: 2 at once, 9 more each minute. */
const newcomers: Policy = { name: 'newcomers', burst: 2, window: 13.4 }
/** All other strangers on probation: 1 at once, 1 more each minute. */
const others: Policy = { name: 'probation', burst: 1, window: 60 }
/** What makes a neighbourhood new: at most one guess, sent twice, in a quarter of an hour. */
const newness: Policy = { name: 'newness', burst: 2, window: 900 }
/** Its token is there for a guess that the network has not made in the last two minutes. */
const firstTime: Policy = { name: 'repeat', burst: 1, window: 120 }

/** In place of the one neighbourhood that a guess came from. */
const several = 'several'

const minutes = 60_000
const longestWait = 60

/**
 * All strangers share the account's `free` failures. When these are used up, the account is under attack. From then on:
 *
 * 1. A password is compared only when the same network sends it a second time: an owner repeats the right one, and a
 *    guesser who repeats has half as many guesses. One that was compared and wrong is not compared again.
 * 2. Guessers who know that compete with the owner for places. Most of them, `newcomers`, are kept for guesses that come
 *    from one neighbourhood (/24, or /48) only, which has hardly guessed at this account. Each of a guesser's neighbourhoods
 *    is good for one guess in a quarter of an hour, so they are soon used up, and the owner's is not.
 *
 * In 60 s at most 5 + 1 + 2 + 9 + 1 + 1 = 19 passwords of strangers are hashed, from however many addresses. A right one gives
 * its place back. Accounts that do not exist are treated alike, and the work is the same for all, so that neither answer
 * nor time tells which do. Budgets are in the database, for all processes; what is new and what is known, in memory.
 */
export function createStrangers({ budgets, mark, now }: Surroundings): Strangers {
  const remembered = { max: 100_000, ttl: 15 * minutes, perf: { now } }
  const outcomes = new LRUCache<string, 'right' | 'wrong'>(remembered)
  /** Where a guess came from first, or `several`. */
  const origins = new LRUCache<string, string>(remembered)
  const friendly = new LRUCache<string, true>({ ...remembered, ttl: 30 * 24 * 60 * minutes })
  const neighbourhoodOf = ({ email, address }: Attempt) =>
    mark('neighbourhood', email, wideLimitKey(address))

  const take = async (policy: Policy, subject: string): Promise<Place> => {
    const wait = await budgets.take(policy, subject)
    return wait === undefined ? { giveBack: () => budgets.giveBack(policy, subject) } : { wait }
  }

  const comesFromSeveral = (guess: string, neighbourhood: string): boolean => {
    const origin = origins.get(guess)
    if (origin !== neighbourhood) origins.set(guess, origin === undefined ? neighbourhood : several)
    return origin !== undefined && origin !== neighbourhood && outcomes.get(guess) !== 'right'
  }

  return {
    async admit(attempt, guess) {
      const { email, address } = attempt
      const forgiven = await take(free, email)
      if (forgiven.wait === undefined) return forgiven
      if (outcomes.get(guess) === 'wrong') return { wait: longestWait }
      const neighbourhood = neighbourhoodOf(attempt)
      const isShared = comesFromSeveral(guess, neighbourhood)
      const isNew = await take(newness, neighbourhood)
      // Of the password only 20 bits: enough to know it again, and of no use to whoever reads the table.
      const trace = JSON.stringify([email, limitKey(address), guess.slice(0, 5)])
      if ((await budgets.take(firstTime, trace)) === undefined) return { wait: 1 }
      const place =
        !isShared && (isNew.wait === undefined || friendly.has(neighbourhood))
          ? await take(newcomers, email)
          : { wait: longestWait }
      if (place.wait === undefined) return place
      // Whoever comes again with the same guess, when told to, is still new.
      if (isNew.wait === undefined) await isNew.giveBack()
      const last = await take(others, email)
      return last.wait === undefined ? last : { wait: Math.min(last.wait, place.wait) }
    },
    wasRight(attempt, guess) {
      outcomes.set(guess, 'right')
      friendly.set(neighbourhoodOf(attempt), true)
    },
    wasWrong(guess) {
      outcomes.set(guess, 'wrong')
    },
  }
}
