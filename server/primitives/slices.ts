import { setImmediate as nextTurn } from 'node:timers/promises'

/** Longest time that a loop keeps visitors waiting. */
const sliceMs = 5

/** Makes a function to call between the steps of a long loop: when a slice of time is over, it lets the event loop turn. */
export function createSlices(): () => Promise<void> {
  let startedAt = performance.now()
  return async () => {
    if (performance.now() - startedAt < sliceMs) return
    await nextTurn()
    startedAt = performance.now()
  }
}
