import type { Logger } from '../log.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'

/**
 * A `catch` handler for one of many items of a job: logs the failure, so that the items after it have their turn. Throws
 * when the database does not answer, because it would not answer them either.
 */
export function skipFailed(log: Logger, facts: object, message: string) {
  return (error: unknown): void => {
    if (error instanceof DatabaseUnavailableError) throw error
    log.warn({ err: error, ...facts }, message)
  }
}
