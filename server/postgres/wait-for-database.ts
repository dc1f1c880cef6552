import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { createPlainClient } from './client.ts'
import { errorMessage } from '../primitives/caught-error.ts'
import { isUnavailable } from './database.ts'

const connectTimeoutMs = 3_000
const firstRetryMs = 500
const maxRetryMs = 10_000

/**
 * Resolves when the database takes a connection. One that cannot be reached is waited for, with backoff, and the log
 * says so: at the start of a whole system the database is often the later one.
 *
 * @throws {Error} when it refuses (a password, a name), or the reason of `signal` when it aborts
 */
export async function waitForDatabase(
  url: string,
  log: Logger,
  signal?: AbortSignal,
): Promise<void> {
  for (let retryMs = firstRetryMs; ; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
    const client = createPlainClient(url, 'start', { connectTimeoutMs })
    try {
      await client.connect()
      if (retryMs > firstRetryMs) log.info('the database answers')
      return
    } catch (error) {
      if (!isUnavailable(error))
        throw new Error(
          `the database refuses the connection: ${errorMessage(error)}. Look at DATABASE_URL.`,
          { cause: error },
        )
      log.warn(
        { reason: errorMessage(error), retry_ms: retryMs },
        'the database does not answer: waiting for it',
      )
    } finally {
      // Not awaited: for a connection that was never established it may not settle.
      void client.end().catch(() => {})
    }
    await sleep(retryMs, undefined, signal && { signal })
  }
}
