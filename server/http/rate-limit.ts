import { LRUCache } from 'lru-cache'

/** A token bucket: `burst` at once, refilled evenly with `burst` over `window` seconds. */
export interface Policy {
  name: string
  burst: number
  window: number
}

export interface RateLimits {
  /**
   * Takes one token of `key` under `policy`.
   * @returns undefined when allowed, else the seconds to wait (at least 1)
   */
  take(policy: Policy, key: string): number | undefined
  giveBack(policy: Policy, key: string): void
  /** True while the key has a token left; takes none. */
  peek(policy: Policy, key: string): boolean
}

interface Bucket {
  tokens: number
  at: number
}

/** In memory, at most 100,000 buckets (least recently used go first). `enabled` false allows everything. */
export function createRateLimits(
  enabled: boolean,
  now: () => number = () => performance.now(),
): RateLimits {
  const buckets = new LRUCache<string, Bucket>({ max: 100_000 })
  const fill = (policy: Policy, key: string): Bucket => {
    const id = `${policy.name} ${key}`
    const time = now() / 1000
    const bucket = buckets.get(id) ?? { tokens: policy.burst, at: time }
    bucket.tokens = Math.min(
      policy.burst,
      bucket.tokens + ((time - bucket.at) * policy.burst) / policy.window,
    )
    bucket.at = time
    buckets.set(id, bucket)
    return bucket
  }
  return {
    take(policy, key) {
      if (!enabled) return undefined
      const bucket = fill(policy, key)
      if (bucket.tokens < 1) {
        return Math.max(1, Math.ceil(((1 - bucket.tokens) * policy.window) / policy.burst))
      }
      bucket.tokens -= 1
      return undefined
    },
    giveBack(policy, key) {
      if (!enabled) return
      const bucket = fill(policy, key)
      bucket.tokens = Math.min(policy.burst, bucket.tokens + 1)
    },
    peek: (policy, key) => !enabled || fill(policy, key).tokens >= 1,
  }
}
