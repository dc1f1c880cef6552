import type { Logger } from '../log.ts'
import { errorMessage } from '../primitives/caught-error.ts'

export type OutageLines = ReturnType<typeof createOutageLines>

/**
 * The two lines of the log about an outage of the database: when it begins, and when the database answers again. Other lines
 * about it are shortened or dropped (log.ts).
 */
export function createOutageLines(log: Logger) {
  let beganAt: number | undefined
  return {
    failed(error: unknown): void {
      if (beganAt !== undefined) return
      beganAt = performance.now()
      log.warn({ reason: errorMessage(error) }, 'the database does not answer')
    },
    /** @param startedAt when the work that succeeded started (monotonic milliseconds) */
    succeeded(startedAt: number): void {
      // Work under way when the outage began says nothing about its end.
      if (beganAt === undefined || startedAt < beganAt) return
      const seconds = Math.round((performance.now() - beganAt) / 1_000)
      beganAt = undefined
      log.info({ seconds }, 'the database answers again')
    },
  }
}
