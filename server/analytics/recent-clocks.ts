/** Readings older than this are dropped: live streams leave hits out that are stored later (live/news.ts). */
const keptMs = 60_000

export type RecentClocks = ReturnType<typeof createRecentClocks>

/** The clocks that this process had in the last minute: hits on their way have the time of one that may have been set since. */
export function createRecentClocks() {
  let readings: { aheadMs: number; at: number }[] = []
  return {
    /** Reads the clock. @returns by how many milliseconds it is ahead of the monotonic one */
    read(): number {
      const at = performance.now()
      const aheadMs = Date.now() - at
      readings = readings.filter((reading) => at - reading.at < keptMs)
      readings.push({ aheadMs, at })
      return aheadMs
    },
    /** Now by the clock that was furthest behind, in epoch milliseconds. Reads the clock as well. */
    earliestNow(): number {
      this.read()
      return Math.floor(Math.min(...readings.map(({ aheadMs }) => aheadMs)) + performance.now())
    },
  }
}
