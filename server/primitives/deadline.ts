/** The work took longer than its deadline. */
export class DeadlineExceededError extends Error {
  name = 'DeadlineExceededError'
}

/**
 * Runs `work` with a signal that aborts after `timeoutMs`. The returned promise settles at the deadline even when the
 * work ignores its signal; its later result is ignored.
 *
 * @throws {DeadlineExceededError} at the deadline, or the work's own error before it
 */
export async function withDeadline<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new DeadlineExceededError(`no result within ${timeoutMs} ms`)
      reject(error)
      controller.abort(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work(controller.signal), expired])
  } finally {
    clearTimeout(timer)
  }
}
