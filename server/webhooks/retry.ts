import type { PostResult } from './post.ts'

export interface RetryPolicy {
  /** Between attempts; the last one repeats. */
  retryPausesSeconds: readonly number[]
  /** From the first attempt on. */
  giveUpSeconds: number
}

/** Result of an attempt for its event. */
export type AttemptVerdict =
  | { outcome: 'delivered' | 'gone' | 'given-up' }
  | {
      outcome: 'retry'
      pauseSeconds: number
      /** The receiver asked for a pause, for everything that is sent to it. */
      holdSeconds: number
    }

/** However long a receiver asks us to wait. */
const maxHoldSeconds = 60 * 60

/**
 * @param attempts including this one
 * @param elapsedSeconds since the first attempt
 * @param random 0 to 1: spreads attempts that failed at the same moment
 */
export function judgeAttempt(
  result: PostResult,
  { attempts, elapsedSeconds }: { attempts: number; elapsedSeconds: number },
  { retryPausesSeconds, giveUpSeconds }: RetryPolicy,
  random = Math.random(),
): AttemptVerdict {
  const { status } = result
  if (status !== undefined && status >= 200 && status < 300) return { outcome: 'delivered' }
  if (status === 410) return { outcome: 'gone' }
  const leftSeconds = giveUpSeconds - elapsedSeconds
  if (leftSeconds <= 0) return { outcome: 'given-up' }
  const pause = retryPausesSeconds[Math.min(attempts, retryPausesSeconds.length) - 1] ?? 0
  const holdSeconds = status === 429 || status === 503 ? askedPause(result) : 0
  const wanted = Math.max(pause * (0.9 + 0.2 * random), holdSeconds)
  // The last attempt is at the end of the time.
  return { outcome: 'retry', pauseSeconds: Math.min(wanted, leftSeconds), holdSeconds }
}

/** Seconds asked for by `Retry-After`, which holds seconds or an HTTP date. */
function askedPause(result: PostResult): number {
  const text = result.retryAfter?.trim() ?? ''
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), maxHoldSeconds) : 0
}
