import type { Logger } from '../../log.ts'
import type { SegmentStart } from './journal-files.ts'
import type { Journal } from './journal.ts'

const journalRetryMs = 1_000

export type JournalWriter = ReturnType<typeof createJournalWriter>

type WrittenJournal = Pick<Journal, 'append' | 'isInReserve'>

/** Writes to the journal. After a failed write it is tried again once a second. */
export function createJournalWriter(journal: WrittenJournal, log: Logger) {
  let degraded = false
  let wasInReserve = false
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
        if (journal.isInReserve() !== wasInReserve) {
          wasInReserve = !wasInReserve
          if (wasInReserve) log.error('the disk is full: clicks go into the reserve of the journal')
          else log.info('clicks go into new files of the journal again')
        }
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
    /** Writes the records in memory when the server stops. False: the records are not in the journal. */
    keep(records: Buffer, at?: SegmentStart): boolean {
      try {
        journal.append(records, at, true)
        return true
      } catch (error) {
        log.error({ err: error }, 'the click journal cannot be written')
        return false
      }
    },
  }
}
