import { LRUCache } from 'lru-cache'
import { limitKey } from '../http/client-address.ts'
import type { Policy } from '../http/rate-limit.ts'
import type { Budgets } from './protection/budgets.ts'
import type { SecretBox } from './secret-box.ts'

/** A try to sign in with a password, before the password is hashed. */
export interface Attempt {
  /** The normalized e-mail address, whether an account has it or not. */
  email: string
  address: string
  password: string
}

export interface AttemptGuard {
  /** @returns undefined when the password may be hashed (then `settle` must follow), else the seconds to wait */
  admit(attempt: Attempt): Promise<number | undefined>
  /** Says how an admitted attempt ended; `abandoned` when the password was not compared after all. */
  settle(attempt: Attempt, outcome: 'right' | 'wrong' | 'abandoned'): void
}

interface Surroundings {
  enabled: boolean
  budgets: Budgets
  secretBox: Pick<SecretBox, 'digest'>
  /** The addresses that the account's owner is signed in from; none for an account that does not exist. */
  homesOf(email: string): Promise<string[]>
  now?: () => number
}

/** Failures an account forgives before strangers are put on probation: 6 at once, 1 more each minute. */
const free: Policy = { name: 'account', burst: 6, window: 360 }
/** Strangers let through on probation: 6 at once, 6 more each minute. */
const probation: Policy = { name: 'probation', burst: 6, window: 60 }
/** Its token is there for a guess that the network has not made in the last two minutes. */
const firstTime: Policy = { name: 'repeat', burst: 1, window: 120 }
/** A network's own back-off starts after this many failures and doubles from 1 to 60 seconds. */
const patience = 5
const longestWait = 60

/**
 * Keeps guessers off one account without keeping its owner out. Nothing here ever blocks an account as such.
 *
 * 1. A network (address, or /64) that fails on an account waits for itself only: 1, 2, 4 … 60 s after 5 failures.
 * 2. A network from which the owner signed in before, or is signed in, has no further hurdle.
 * 3. All other networks share the account's `free` failures. When these are used up, the account is under attack, and
 *    a stranger's password is hashed only when the same network sends the same password a second time: an owner
 *    repeats the right password, a guesser who repeats has half as many guesses. One that was already compared and
 *    wrong is not compared again. And no more strangers than `probation` get through, guessers who know this rule
 *    included.
 *
 * So in 60 s at most 6 + 1 + 6 + 6 = 19 passwords of strangers are hashed, from however many addresses, and an owner
 * at a fresh address is in with the second try. Accounts that do not exist are treated alike, so it tells nobody which
 * do. What the third rule counts is in the database (budgets), so that it holds across processes and restarts; the rest
 * is kept in memory, as keyed digests that expire within minutes.
 */
export function createAttemptGuard({
  enabled,
  budgets,
  secretBox,
  homesOf,
  now = () => performance.now(),
}: Surroundings): AttemptGuard {
  const mark = (...parts: string[]) => secretBox.digest(JSON.stringify(parts), 'sign-in attempts')
  const minutes = 60_000
  const clock = { now }
  const failures = new LRUCache<string, { count: number; until: number }>({
    max: 100_000,
    ttl: 15 * minutes,
    perf: clock,
  })
  const trusted = new LRUCache<string, true>({
    max: 100_000,
    ttl: 30 * 24 * 60 * minutes,
    perf: clock,
  })
  const knownWrong = new LRUCache<string, true>({ max: 100_000, ttl: 15 * minutes, perf: clock })

  const marksOf = ({ email, address, password }: Attempt) => ({
    network: mark('network', email, limitKey(address)),
    guess: mark('guess', email, password),
  })

  /** Each attempt counts as failed until it is settled, so that a thousand at once cannot slip through. */
  const charge = (network: string) => {
    const count = (failures.get(network)?.count ?? 0) + 1
    const wait = count < patience ? 0 : Math.min(longestWait, 2 ** (count - patience))
    failures.set(network, { count, until: now() + wait * 1_000 })
  }
  const takeBack = (network: string, until: number) => {
    const count = (failures.get(network)?.count ?? 1) - 1
    if (count === 0) failures.delete(network)
    else failures.set(network, { count, until })
  }

  /** The same work for everybody: its time must not tell whose account it is. @returns the seconds to wait */
  const hurdle = async (
    { email, address }: Attempt,
    network: string,
    guess: string,
  ): Promise<number | undefined> => {
    const here = limitKey(address)
    const homes = await homesOf(email)
    if (trusted.has(network) || homes.some((home) => limitKey(home) === here)) {
      await budgets.take(free, `home ${email}`)
      return undefined
    }
    if ((await budgets.take(free, email)) === undefined) return undefined
    if (knownWrong.has(guess)) return longestWait
    // Of the password only 20 bits: enough to know it again, and of no use to whoever reads the table.
    const trace = JSON.stringify([email, here, guess.slice(0, 5)])
    if ((await budgets.take(firstTime, trace)) === undefined) return 1
    return budgets.take(probation, email)
  }

  return {
    async admit(attempt) {
      if (!enabled) return undefined
      const { network, guess } = marksOf(attempt)
      const until = failures.get(network)?.until ?? 0
      if (until > now()) return Math.ceil((until - now()) / 1_000)
      charge(network)
      let refused: number | undefined = longestWait
      try {
        refused = await hurdle(attempt, network, guess)
      } finally {
        if (refused !== undefined) takeBack(network, until)
      }
      return refused
    },

    settle(attempt, outcome) {
      if (!enabled) return
      const { network, guess } = marksOf(attempt)
      if (outcome === 'wrong') knownWrong.set(guess, true)
      else failures.delete(network)
      if (outcome === 'right') trusted.set(network, true)
    },
  }
}
