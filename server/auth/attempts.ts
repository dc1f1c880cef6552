import { LRUCache } from 'lru-cache'
import { limitKey, wideLimitKey } from '../http/client-address.ts'
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

export type Outcome = 'right' | 'wrong' | 'abandoned'

export type Admission =
  /** Not to be hashed: come again in so many seconds. */
  | { wait: number }
  /** To be hashed; then say how it ended, `abandoned` when the password was not compared after all. */
  | { wait?: undefined; settle(outcome: Outcome): Promise<void> }

export interface AttemptGuard {
  admit(attempt: Attempt): Promise<Admission>
}

interface Surroundings {
  enabled: boolean
  budgets: Budgets
  secretBox: Pick<SecretBox, 'digest'>
  /** The addresses that the account's owner is signed in from; none for an account that does not exist. */
  homesOf(email: string): Promise<string[]>
  now?: () => number
}

/** A place that was taken, or the seconds until there is one. */
type Hurdle = { wait: number } | { wait?: undefined; giveBack(): Promise<void> }

/** Failures an account forgives before strangers are put on probation: 6 at once, 1 more each minute. */
const free: Policy = { name: 'account', burst: 6, window: 360 }
/** Strangers on probation whose neighbourhood is new to the account: 4 at once, 4 more each minute. */
const newcomers: Policy = { name: 'newcomers', burst: 4, window: 60 }
/** All other strangers on probation: 2 at once, 2 more each minute. */
const probation: Policy = { name: 'probation', burst: 2, window: 60 }
/** What makes a neighbourhood new: less than one guess and another's two tries in a quarter of an hour. */
const newness: Policy = { name: 'newness', burst: 3, window: 900 }
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
 *    wrong is not compared again.
 * 4. Guessers who know this rule compete with the owner for the places of `newcomers` and `probation`. The first are kept
 *    for neighbourhoods (/24, or /48) that have hardly guessed at this account: a guesser's are soon used up, for each
 *    serves a guess or two in a quarter of an hour, and the owner's is not.
 *
 * So in 60 s at most 6 + 1 + 4 + 4 + 2 + 2 = 19 passwords of strangers are hashed, from however many addresses, and an owner
 * at a fresh address is in with the second try. A right password gives back what it took. Accounts that do not exist are
 * treated alike, so it tells nobody which do. What rules 3 and 4 count is in the database (budgets), so that it holds
 * across processes and restarts; the rest is kept in memory, as keyed digests that expire within minutes.
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

  /** Takes one of these places if there is one. */
  const place = async (policy: Policy, subject: string): Promise<Hurdle> => {
    const wait = await budgets.take(policy, subject)
    return wait === undefined ? { giveBack: () => budgets.giveBack(policy, subject) } : { wait }
  }

  /** The same work for everybody: its time must not tell whose account it is. */
  const hurdle = async ({ email, address }: Attempt, guess: string): Promise<Hurdle> => {
    const forgiven = await place(free, email)
    if (forgiven.wait === undefined) return forgiven
    if (knownWrong.has(guess)) return { wait: longestWait }
    const neighbourhood = JSON.stringify([email, wideLimitKey(address)])
    const isNew = (await budgets.take(newness, neighbourhood)) === undefined
    // Of the password only 20 bits: enough to know it again, and of no use to whoever reads the table.
    const trace = JSON.stringify([email, limitKey(address), guess.slice(0, 5)])
    if ((await budgets.take(firstTime, trace)) === undefined) return { wait: 1 }
    const newcomer = isNew ? await place(newcomers, email) : { wait: longestWait }
    return newcomer.wait === undefined ? newcomer : place(probation, email)
  }

  /** Counted all the same, so that it takes as long as a stranger's first tries. */
  const noHurdle = async ({ email }: Attempt): Promise<Hurdle> => {
    await budgets.take(free, `home ${email}`)
    return { giveBack: async () => {} }
  }

  const isKnown = async ({ email, address }: Attempt, network: string): Promise<boolean> => {
    const here = limitKey(address)
    const homes = await homesOf(email)
    return trusted.has(network) || homes.some((home) => limitKey(home) === here)
  }

  return {
    async admit(attempt) {
      if (!enabled) return { settle: async () => {} }
      const { network, guess } = marksOf(attempt)
      const until = failures.get(network)?.until ?? 0
      if (until > now()) return { wait: Math.ceil((until - now()) / 1_000) }
      charge(network)
      let passed: Hurdle = { wait: longestWait }
      try {
        passed = (await isKnown(attempt, network))
          ? await noHurdle(attempt)
          : await hurdle(attempt, guess)
      } finally {
        if (passed.wait !== undefined) takeBack(network, until)
      }
      if (passed.wait !== undefined) return { wait: passed.wait }
      const { giveBack } = passed
      return {
        async settle(outcome) {
          if (outcome === 'wrong') {
            knownWrong.set(guess, true)
            return
          }
          failures.delete(network)
          if (outcome === 'right') trusted.set(network, true)
          await giveBack()
        },
      }
    },
  }
}
