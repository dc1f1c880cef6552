import { limitKey } from '../../http/client-address.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import type { Buckets } from '../protection/budgets.ts'
import type { SecretBox } from '../secret-box.ts'
import { type Attempt, createUnknownNetworks, type TakenToken } from './unknown-networks.ts'
import { createLru } from '../../primitives/lru.ts'
import { createTurns } from '../../primitives/turns.ts'

export type GuessOutcome = 'right' | 'wrong' | 'abandoned'

/** An attempt that the guard knows of, until it is settled. */
interface PendingGuess {
  wait?: undefined
  /**
   * Whether the password may be compared.
   *
   * @param knownAddresses from where the owner is signed in; none for an account that does not exist
   * @returns undefined, or the seconds to wait
   */
  admit(buckets: Buckets, knownAddresses: readonly string[]): Promise<number | undefined>
  /** @returns the tokens that the caller must return */
  settle(outcome: GuessOutcome): TakenToken[]
}

/**
 * Keeps guessers off one account without keeping its owner out (docs/decisions/0021-guessing-one-account.md). Nothing
 * here ever locks an account. Accounts that do not exist are treated alike, with the same work.
 *
 * A network is an address, or the /64 of an IPv6 one. A neighborhood is the /24, or /48, around it.
 *
 * | Network of the attempt | State of the account | Is the password compared? |
 * |---|---|---|
 * | any, after 5 failures there on this account | any | not before 1, 2, 4 … 60 s have passed |
 * | known: the owner signed in or is signed in there | any | yes |
 * | unknown | calm: it forgives 5 failures, and 1 more each minute | yes |
 * | unknown, sends this guess for the first time | under attack | no: 429, try again in 1 s |
 * | unknown, sends it again; neighborhood and guess are new to the account | under attack | yes, 2 at once and 9 more each minute |
 * | unknown, sends it again; neighborhood or guess are not new | under attack | yes, 1 at once and 1 more each minute |
 * | unknown, and the guess was compared and wrong | under attack | no: 429, try again in 60 s |
 *
 * In any 60 s unknown networks get at most 19 passwords compared, however many they are: 5 + 1 forgiven, 2 + 9 from new
 * neighborhoods, 1 + 1 from others.
 */
export type GuessGuard = ReturnType<typeof createGuessGuard>

interface GuessGuardDeps {
  enabled: boolean
  secretBox: Pick<SecretBox, 'digest'>
  /** Milliseconds on a monotonic clock. */
  now?: () => number
}

/** A no-op budget, so that an attempt from a known network takes as long as one from an unknown network. */
const knownNetwork: BucketPolicy = { name: 'known network', burst: 1_000_000, windowSeconds: 1 }

const trustMs = 30 * 24 * 3_600_000

/** Keeps in memory nothing but keyed digests, which expire within minutes; those of trusted networks after 30 days. */
export function createGuessGuard({
  enabled,
  secretBox,
  now = () => performance.now(),
}: GuessGuardDeps) {
  const mark = (...parts: string[]) => secretBox.digest(JSON.stringify(parts), 'sign-in attempts')
  const unknownNetworks = createUnknownNetworks({ mark, now })
  const backoff = createNetworkBackoff(now)
  const trusted = createLru<true>(100_000, { ttl: trustMs, perf: { now } })
  const takeTurn = createTurns()

  return {
    /** Attempts of one network with one password take turns, so that those at once from an honest person fail or pass together. */
    async start(attempt: Attempt): Promise<PendingGuess | { wait: number }> {
      if (!enabled) return { admit: async () => undefined, settle: () => [] }
      const { email, address, password } = attempt
      const network = mark('network', email, limitKey(address))
      const guess = mark('guess', email, password)
      const endTurn = await takeTurn(`${network} ${guess}`)
      const wait = backoff.waitSeconds(network)
      if (wait > 0) {
        endTurn()
        return { wait }
      }
      const undoCharge = backoff.charge(network)
      let token: TakenToken | undefined

      return {
        async admit(buckets, knownAddresses) {
          const isKnown =
            trusted.has(network) ||
            knownAddresses.some((known) => limitKey(known) === limitKey(address))
          if (isKnown) {
            await buckets.take(knownNetwork, email)
            return undefined
          }
          const place = await unknownNetworks.admit(buckets, attempt, guess)
          if (place.wait === undefined) token = place.token
          return place.wait
        },
        settle(outcome) {
          endTurn()
          if (outcome === 'wrong') {
            unknownNetworks.wasWrong(guess)
            return []
          }
          if (outcome === 'abandoned') undoCharge()
          else {
            backoff.clear(network)
            trusted.set(network, true)
            unknownNetworks.wasRight(attempt, guess)
          }
          return token ? [token] : []
        },
      }
    },
  }
}

/** The wait starts after this many failures and doubles from 1 to 60 seconds. */
const freeFailures = 5
const maxWaitSeconds = 60
const failuresTtlMs = 15 * 60_000

/**
 * Makes one network wait after wrong passwords for one account, in the memory of this process.
 *
 * @param now milliseconds on a monotonic clock
 */
function createNetworkBackoff(now: () => number) {
  const failures = createLru<{ count: number; untilMs: number }>(100_000, {
    ttl: failuresTtlMs,
    perf: { now },
  })
  return {
    /** 0 for none. */
    waitSeconds(network: string): number {
      const waitMs = (failures.get(network)?.untilMs ?? 0) - now()
      return waitMs > 0 ? Math.ceil(waitMs / 1_000) : 0
    },
    /** Counts a failure in advance, so that a thousand attempts at once cannot slip through. Returns how to undo it. */
    charge(network: string): () => void {
      const before = failures.get(network)
      const count = (before?.count ?? 0) + 1
      const wait = count < freeFailures ? 0 : Math.min(maxWaitSeconds, 2 ** (count - freeFailures))
      failures.set(network, { count, untilMs: now() + wait * 1_000 })
      return () => {
        const left = (failures.get(network)?.count ?? 1) - 1
        if (left <= 0) failures.delete(network)
        else failures.set(network, { count: left, untilMs: before?.untilMs ?? 0 })
      }
    },
    clear: (network: string) => failures.delete(network),
  }
}
