import { timingSafeEqual } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Compares two secrets in a time that does not depend on where they differ. Lengths are not secret. */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/**
 * Delays the outcome of `work`, an error included, until `durationMs` have passed. With a duration well above what the
 * work takes, the response time does not tell which branch ran.
 */
export async function withMinimumDuration<T>(
  durationMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const minimum = sleep(durationMs)
  try {
    return await work()
  } finally {
    await minimum
  }
}
