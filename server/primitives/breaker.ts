export type Breaker = ReturnType<typeof createBreaker>

/**
 * A circuit breaker: stops calls to something that keeps failing, and lets a probe through from time to time.
 *
 * @param now milliseconds on a monotonic clock
 */
export function createBreaker(
  { maxFailures, retryMs }: { maxFailures: number; retryMs: number },
  now: () => number = () => performance.now(),
) {
  let failures = 0
  let nextProbeAt = 0
  const isOpen = () => failures >= maxFailures
  return {
    /** True when a call may be made. While the breaker is open, that call is the probe of the current `retryMs`. */
    tryAcquire(): boolean {
      if (!isOpen()) return true
      if (now() < nextProbeAt) return false
      nextProbeAt = now() + retryMs
      return true
    },
    /** Seconds until a call makes sense, at least 1; undefined when it does now. */
    retryAfterSeconds(): number | undefined {
      if (!isOpen()) return undefined
      const waitMs = nextProbeAt - now()
      return waitMs > 0 ? Math.ceil(waitMs / 1000) : undefined
    },
    /** True from the `maxFailures`th failure in a row until the next success. */
    isOpen,
    succeeded(): void {
      failures = 0
    },
    failed(): void {
      failures++
      if (isOpen()) nextProbeAt = now() + retryMs
    },
  }
}
