import { LRUCache } from 'lru-cache'

/** Makes one network wait after wrong passwords for one account, in the memory of this process. */
export interface NetworkBackoff {
  /** The seconds that the network has to wait; 0 for none. */
  waitSeconds(network: string): number
  /** Counts a failure in advance, so that a thousand attempts at once cannot slip through. Returns how to undo it. */
  charge(network: string): () => void
  clear(network: string): void
}

/** The wait starts after this many failures and doubles from 1 to 60 seconds. */
const freeFailures = 5
const maxWaitSeconds = 60
const forgetMs = 15 * 60_000

/** @param now milliseconds on a monotonic clock */
export function createNetworkBackoff(now: () => number): NetworkBackoff {
  const failures = new LRUCache<string, { count: number; untilMs: number }>({
    max: 100_000,
    ttl: forgetMs,
    perf: { now },
  })
  return {
    waitSeconds(network) {
      const waitMs = (failures.get(network)?.untilMs ?? 0) - now()
      return waitMs > 0 ? Math.ceil(waitMs / 1_000) : 0
    },
    charge(network) {
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
    clear(network) {
      failures.delete(network)
    },
  }
}
