export type Histogram = ReturnType<typeof createHistogram>

/**
 * Counts values by size. `observe` allocates nothing, so it may be called for every request.
 *
 * @param bounds the greatest value of each bucket, ascending; greater values have a separate bucket
 */
export function createHistogram(bounds: readonly number[]) {
  const limits = Float64Array.from([...bounds, Number.POSITIVE_INFINITY])
  const counts = new Float64Array(limits.length)
  let sum = 0
  return {
    observe(value: number): void {
      let bucket = 0
      while (value > (limits[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
      counts[bucket] = (counts[bucket] ?? 0) + 1
      sum += value
    },
    /** Each bound with how many values were at most that great; the last bound is infinite. */
    read() {
      let count = 0
      const buckets = Array.from(counts, (own, i) => {
        count += own
        return { bound: limits[i] ?? Number.POSITIVE_INFINITY, count }
      })
      return { buckets, sum, count }
    },
  }
}
