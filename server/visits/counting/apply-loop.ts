import type { Logger } from '../../log.ts'
import { DatabaseUnavailableError } from '../../postgres/database.ts'

interface ApplyLoopOptions {
  log: Logger
  /** For the log, for example `the journal`. */
  source: string
  /** Applies all clicks that wait. */
  apply: () => Promise<unknown>
  /** False: failures are those of the source, which has a separate log line. */
  isSourceUp?: () => boolean
}

export const applyIntervalMs = 250
const maxRetryMs = 2_000

/** Applies clicks again and again, less often while that fails. Logs the first failure of several, and their end. */
export function startApplyLoop({ log, source, apply, isSourceUp = () => true }: ApplyLoopOptions) {
  let delayMs = applyIntervalMs
  let isClosed = false

  const applyOnce = async (): Promise<void> => {
    try {
      await apply()
      if (delayMs !== applyIntervalMs) log.info('clicks are being applied again')
      delayMs = applyIntervalMs
    } catch (error) {
      if (delayMs === applyIntervalMs) log.warn({ err: error }, `clicks wait in ${source}`)
      if (!(error instanceof DatabaseUnavailableError) && isSourceUp())
        log.error({ err: error }, 'applying clicks failed')
      delayMs = Math.min(delayMs * 2, maxRetryMs)
    }
  }
  let running = Promise.resolve()
  const run = () => {
    running = applyOnce().finally(() => {
      if (!isClosed) timer = setTimeout(run, delayMs)
    })
  }
  // A turn later, when the caller has the loop.
  let timer = setTimeout(run)
  return {
    applyOnce,
    isClosed: () => isClosed,
    /** Starts no run any more. Resolves when the current one has ended. */
    stop(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      return running
    },
  }
}
