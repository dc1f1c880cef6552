import { setTimeout as sleep } from 'node:timers/promises'

interface RetryOptions {
  /** In all, the first one included. */
  attempts: number
  /** Whether another attempt may succeed. */
  mayRetry: (error: unknown) => boolean
  /** Between two attempts; default: none. */
  pauseMs?: number
}

/** Runs work again while it fails in a way that passes. @throws the last error */
export async function withRetries<Result>(
  { attempts, mayRetry, pauseMs = 0 }: RetryOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !mayRetry(error)) throw error
      await sleep(pauseMs)
    }
  }
}
