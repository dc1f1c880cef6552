import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { limitKey } from '../http/client-address.ts'
import { createRateLimits, type Policy } from '../http/rate-limit.ts'

/** A try to sign in with a password, before the password is hashed. */
export interface Attempt {
  /** The normalized e-mail address, whether an account has it or not. */
  email: string
  address: string
  password: string
}

export interface AttemptGuard {
  /** @returns undefined when the password may be hashed (then `settle` must follow), else the seconds to wait */
  admit(attempt: Attempt): number | undefined
  /** Says how an admitted attempt ended; `abandoned` when the password was not compared after all. */
  settle(attempt: Attempt, outcome: 'right' | 'wrong' | 'abandoned'): void
}

/** Failures an account forgives before strangers are put on probation: 6 at once, 1 more each minute. */
const free: Policy = { name: 'account', burst: 6, window: 360 }
/** Strangers let through on probation: 6 at once, 6 more each minute. */
const probation: Policy = { name: 'probation', burst: 6, window: 60 }
/** A network's own back-off starts after this many failures and doubles from 1 to 60 seconds. */
const patience = 5
const longestWait = 60

/**
 * Keeps guessers off one account without keeping its owner out. Nothing here ever blocks an account as such.
 *
 * 1. A network (address, or /64) that fails on an account waits for itself only: 1, 2, 4 … 60 s after 5 failures.
 * 2. A network from which the owner signed in before has no further hurdle.
 * 3. All other networks share the account's `free` failures. When these are used up, the account is under attack, and
 *    a stranger's password is hashed only when the same network sends the same password a second time: an owner
 *    repeats the right password, a guesser who repeats has half as many guesses. One that was already compared and
 *    wrong is not compared again. And no more strangers than `probation` get through, guessers who know this rule
 *    included.
 *
 * So in 60 s at most 6 + 1 + 6 + 6 = 19 passwords of strangers are hashed, from however many addresses, and an owner
 * at a fresh address is in with the second try. Accounts that do not exist are treated alike, so it tells nobody which
 * do. Kept in memory, as keyed digests that expire within minutes; a restart forgets it.
 */
export function createAttemptGuard(
  enabled: boolean,
  now: () => number = () => performance.now(),
): AttemptGuard {
  const key = randomBytes(32)
  const mark = (...parts: string[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
  const minutes = 60_000
  const budgets = createRateLimits(enabled, now)
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
  const seenOnce = new LRUCache<string, true>({ max: 100_000, ttl: 2 * minutes, perf: clock })
  const knownWrong = new LRUCache<string, true>({ max: 100_000, ttl: 15 * minutes, perf: clock })

  const marksOf = ({ email, address, password }: Attempt) => {
    const network = limitKey(address)
    return {
      account: mark('account', email),
      network: mark('network', email, network),
      guess: mark('guess', email, password),
      repeat: mark('repeat', email, network, password),
    }
  }

  /** Each admitted attempt counts as failed until it is settled, so that a thousand at once cannot slip through. */
  const charge = (network: string) => {
    const count = (failures.get(network)?.count ?? 0) + 1
    const wait = count < patience ? 0 : Math.min(longestWait, 2 ** (count - patience))
    failures.set(network, { count, until: now() + wait * 1_000 })
  }

  return {
    admit(attempt) {
      if (!enabled) return undefined
      const marks = marksOf(attempt)
      const wait = (failures.get(marks.network)?.until ?? 0) - now()
      if (wait > 0) return Math.ceil(wait / 1_000)
      if (!trusted.has(marks.network) && budgets.take(free, marks.account) !== undefined) {
        if (knownWrong.has(marks.guess)) return longestWait
        if (!seenOnce.has(marks.repeat)) {
          seenOnce.set(marks.repeat, true)
          return 1
        }
        const full = budgets.take(probation, marks.account)
        if (full !== undefined) return full
      }
      charge(marks.network)
      return undefined
    },

    settle(attempt, outcome) {
      if (!enabled) return
      const marks = marksOf(attempt)
      if (outcome === 'wrong') knownWrong.set(marks.guess, true)
      else failures.delete(marks.network)
      if (outcome === 'right') trusted.set(marks.network, true)
    },
  }
}
