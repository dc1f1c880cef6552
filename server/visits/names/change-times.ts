const buckets = 2 ** 18

/**
 * Remembers when each of any number of keys changed last, in 2 MB. Keys share buckets: a change of one may look like a change
 * of another, never the other way round. At 1,000 changes a second, 0.4 % of all keys seem to change in a second.
 */
export function createChangeTimes() {
  const times = new Float64Array(buckets).fill(Number.NEGATIVE_INFINITY)
  // Not known outside, so that a chosen name cannot share the bucket of another on purpose.
  const seed = Math.floor(Math.random() * 2 ** 32)
  /** FNV-1a. */
  const bucketOf = (key: string) => {
    let hash = seed
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
    return (hash ^ (hash >>> 15)) & (buckets - 1)
  }
  return {
    /** @param time in monotonic milliseconds, not before that of an earlier call */
    changed(key: string, time: number): void {
      times[bucketOf(key)] = time
    },
    changedSince: (key: string, time: number): boolean => (times[bucketOf(key)] ?? 0) >= time,
  }
}
