/** Stops asking a provider that keeps failing, so that people hear at once what they would hear after a long wait. */
export interface Breaker {
  /** Seconds until it makes sense to ask again; undefined: ask now. */
  closedFor(): number | undefined
  succeeded(): void
  failed(): void
}

const failuresToOpen = 5
const pause = 30

/** Opens for 30 s after five failures in a row; then one more failure opens it again. `now` is in seconds, monotonic. */
export function createBreaker(now: () => number = () => performance.now() / 1000): Breaker {
  let failures = 0
  let opensAgainAt = 0
  return {
    closedFor() {
      const wait = opensAgainAt - now()
      return wait > 0 ? Math.ceil(wait) : undefined
    },
    succeeded() {
      failures = 0
    },
    failed() {
      if (++failures >= failuresToOpen) opensAgainAt = now() + pause
    },
  }
}
