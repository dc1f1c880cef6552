import type { Logger } from '../log.ts'
import type { Journal, SegmentStart } from './journal.ts'

const journalRetryMs = 1_000

export type JournalWriter = ReturnType<typeof createJournalWriter>

/** Writes to the journal. After a failed write it is tried again once a second. */
export function createJournalWriter(journal: Pick<Journal, 'append'>, log: Logger) {
  let degraded = false
  let nextAttemptAt = 0
  return {
    isDegraded: () => degraded,
    /** False: the records are not in the journal. */
    append(records: Buffer, at?: SegmentStart): boolean {
      if (degraded && performance.now() < nextAttemptAt) return false
      try {
        journal.append(records, at)
        if (degraded) log.info('the click journal can be written again')
        degraded = false
      } catch (error) {
        if (!degraded)
          log.error(
            { err: error },
            'the click journal cannot be written: visitors wait for the database',
          )
        degraded = true
        nextAttemptAt = performance.now() + journalRetryMs
      }
      return !degraded
    },
  }
}
