import { LRUCache } from 'lru-cache'
import { limitKey } from '../http/client-address.ts'
import type { Budgets } from './protection/budgets.ts'
import type { SecretBox } from './secret-box.ts'
import { createStrangers, type Place } from './strangers.ts'

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

/** Counts tries from home, which have no bound but their network's back-off, so that they take as long as others. */
const home = { name: 'home', burst: 5, window: 300 }
/** A network's own back-off starts after this many failures and doubles from 1 to 60 seconds. */
const patience = 5
const longestWait = 60
const minutes = 60_000

/**
 * Keeps guessers off one account without keeping its owner out. Nothing here ever blocks an account as such.
 *
 * 1. A network (address, or /64) that fails on an account waits for itself only: 1, 2, 4 … 60 s after 5 failures.
 * 2. A network from which the owner signed in before, or is signed in, has no further hurdle.
 * 3. All others are strangers, who have to share (strangers.ts).
 *
 * Tries with one password from one network at once count as one try: they wait for the first of them. What is kept in
 * memory is keyed digests that expire within minutes, those of networks known to be the owner's after a month.
 */
export function createAttemptGuard({
  enabled,
  budgets,
  secretBox,
  homesOf,
  now = () => performance.now(),
}: Surroundings): AttemptGuard {
  const mark = (...parts: string[]) => secretBox.digest(JSON.stringify(parts), 'sign-in attempts')
  const strangers = createStrangers({ budgets, mark, now })
  const bounds = { max: 100_000, perf: { now } }
  const failures = new LRUCache<string, { count: number; until: number }>({
    ...bounds,
    ttl: 15 * minutes,
  })
  const trusted = new LRUCache<string, true>({ ...bounds, ttl: 30 * 24 * 60 * minutes })
  const underWay = new Map<string, { count: number; first: Promise<void> }>()

  /** Each try counts as failed until it is settled, so that a thousand at once cannot slip through. */
  const charge = (network: string) => {
    const count = (failures.get(network)?.count ?? 0) + 1
    const wait = count < patience ? 0 : Math.min(longestWait, 2 ** (count - patience))
    failures.set(network, { count, until: now() + wait * 1_000 })
  }
  const takeBack = (network: string, until: number) => {
    const count = (failures.get(network)?.count ?? 1) - 1
    if (count <= 0) failures.delete(network)
    else failures.set(network, { count, until })
  }

  /** @returns whether it is the only one of its kind under way, and what to call when it is over */
  const enter = (kind: string): { isAlone: boolean; leave(): void } => {
    const others = underWay.get(kind)
    if (others) others.count++
    let over = () => {}
    if (!others) {
      const first = new Promise<void>((resolve) => {
        over = resolve
      })
      underWay.set(kind, { count: 1, first })
    }
    const leave = () => {
      const entry = underWay.get(kind)
      if (entry && --entry.count === 0) underWay.delete(kind)
      over()
    }
    return { isAlone: !others, leave }
  }

  const isAtHome = async ({ email, address }: Attempt, network: string): Promise<boolean> => {
    const here = limitKey(address)
    const homes = await homesOf(email)
    return trusted.has(network) || homes.some((each) => limitKey(each) === here)
  }

  const placeFor = async (attempt: Attempt, network: string, guess: string): Promise<Place> => {
    if (!(await isAtHome(attempt, network))) return strangers.admit(attempt, guess)
    await budgets.take(home, attempt.email)
    return { giveBack: async () => {} }
  }

  return {
    async admit(attempt) {
      if (!enabled) return { settle: async () => {} }
      const { email, address, password } = attempt
      const network = mark('network', email, limitKey(address))
      const guess = mark('guess', email, password)
      const kind = `${network} ${guess}`
      await underWay.get(kind)?.first
      const until = failures.get(network)?.until ?? 0
      if (until > now()) return { wait: Math.ceil((until - now()) / 1_000) }
      const { isAlone, leave } = enter(kind)
      if (isAlone) charge(network)
      let place: Place = { wait: longestWait }
      try {
        place = await placeFor(attempt, network, guess)
      } finally {
        if (place.wait !== undefined) {
          if (isAlone) takeBack(network, until)
          leave()
        }
      }
      if (place.wait !== undefined) return { wait: place.wait }
      const { giveBack } = place
      return {
        async settle(outcome) {
          if (outcome === 'wrong') strangers.wasWrong(guess)
          else {
            failures.delete(network)
            if (outcome === 'right') {
              trusted.set(network, true)
              strangers.wasRight(attempt, guess)
            }
            await giveBack()
          }
          leave()
        },
      }
    },
  }
}
