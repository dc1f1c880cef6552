/** Remembers that the database fails, so that visits stop waiting for it. */
export interface Breaker {
  /** False while it makes no sense to ask; when true in bad times, the asker is the one probe. */
  mayTry(): boolean
  /** True from the third failure in a row until the next success. */
  isOpen(): boolean
  succeeded(): void
  failed(): void
}

const failuresToOpen = 3
const probeEvery = 1_000

/** Opens after three failures in a row, then lets one probe a second through. `now` is in milliseconds, monotonic. */
export function createBreaker(now: () => number): Breaker {
  let failures = 0
  let nextProbe = 0
  return {
    mayTry() {
      if (failures < failuresToOpen) return true
      if (now() < nextProbe) return false
      nextProbe = now() + probeEvery
      return true
    },
    isOpen: () => failures >= failuresToOpen,
    succeeded() {
      failures = 0
    },
    failed() {
      if (++failures === failuresToOpen) nextProbe = now() + probeEvery
    },
  }
}
