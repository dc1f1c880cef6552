import { createLru } from './lru.ts'

/** A token bucket: holds `burst` tokens, and refills evenly with `burst` tokens per `windowSeconds`. */
export interface BucketPolicy {
  name: string
  burst: number
  windowSeconds: number
}

/** Token buckets in the memory of this process. Those that all servers share are in postgres/token-bucket.ts. */
export interface RateLimits {
  /**
   * Takes tokens of `key` under `policy`, all or none.
   * @returns undefined when allowed, else the seconds to wait (at least 1)
   */
  take(policy: BucketPolicy, key: string, tokens?: number): number | undefined
  giveBack(policy: BucketPolicy, key: string): void
  /** True while the key has a token left; takes none. */
  peek(policy: BucketPolicy, key: string): boolean
  /** Remaining tokens of the key: whole tokens, and seconds until its bucket is full. Undefined without limits. */
  left(policy: BucketPolicy, key: string): { tokens: number; fullInSeconds: number } | undefined
  /** Counts a refusal of a bucket that is elsewhere. */
  countRefusal(policy: BucketPolicy): void
  /** How often a bucket had no token left, by the name of its policy. */
  refusals(): ReadonlyMap<string, number>
}

/** The limits of a process that is one of several: they report taken tokens to each other (decision 0005). */
export interface SharedRateLimits extends RateLimits {
  /** Counts tokens taken by another process; negative for returned ones. */
  spentElsewhere(policy: BucketPolicy, key: string, tokens: number): void
}

interface Bucket {
  tokens: number
  atSeconds: number
}

/**
 * At most 100,000 buckets; the least recently used go first.
 *
 * @param enabled false allows everything
 * @param now milliseconds on a monotonic clock
 * @param onSpent told of tokens that were taken or given back (-1) here
 */
export function createRateLimits(
  enabled: boolean,
  now: () => number = () => performance.now(),
  onSpent?: (policy: BucketPolicy, key: string, tokens: number) => void,
): SharedRateLimits {
  const buckets = createLru<Bucket>(100_000)
  const refusals = new Map<string, number>()
  const countRefusal = ({ name }: BucketPolicy) =>
    void refusals.set(name, (refusals.get(name) ?? 0) + 1)
  const refill = ({ name, burst, windowSeconds }: BucketPolicy, key: string): Bucket => {
    const id = `${name} ${key}`
    const atSeconds = now() / 1000
    const bucket = buckets.get(id) ?? { tokens: burst, atSeconds }
    const refilled = ((atSeconds - bucket.atSeconds) * burst) / windowSeconds
    bucket.tokens = Math.min(burst, bucket.tokens + refilled)
    bucket.atSeconds = atSeconds
    buckets.set(id, bucket)
    return bucket
  }
  return {
    take(policy, key, tokens = 1) {
      if (!enabled) return undefined
      const bucket = refill(policy, key)
      const missing = tokens - bucket.tokens
      if (missing > 0) {
        countRefusal(policy)
        return Math.max(1, Math.ceil((missing * policy.windowSeconds) / policy.burst))
      }
      bucket.tokens -= tokens
      onSpent?.(policy, key, tokens)
      return undefined
    },
    giveBack(policy, key) {
      if (!enabled) return
      const bucket = refill(policy, key)
      bucket.tokens = Math.min(policy.burst, bucket.tokens + 1)
      onSpent?.(policy, key, -1)
    },
    peek(policy, key) {
      if (!enabled || refill(policy, key).tokens >= 1) return true
      countRefusal(policy)
      return false
    },
    left(policy, key) {
      if (!enabled) return undefined
      const { tokens } = refill(policy, key)
      const missing = ((policy.burst - tokens) * policy.windowSeconds) / policy.burst
      return { tokens: Math.max(0, Math.floor(tokens)), fullInSeconds: Math.ceil(missing) }
    },
    countRefusal,
    refusals: () => refusals,
    spentElsewhere(policy, key, tokens) {
      if (!enabled) return
      const bucket = refill(policy, key)
      // May fall below zero: two processes can take the last token at the same moment.
      bucket.tokens = Math.min(policy.burst, bucket.tokens - tokens)
    },
  }
}
