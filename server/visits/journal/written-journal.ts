import type { ClickSinkDeps, ClickWriter, ToDatabase } from '../counting/click-log.ts'
import { openJournalReserve } from './journal-reserve.ts'
import { createJournalWriter } from './journal-writer.ts'
import { openJournal } from './journal.ts'

interface WrittenJournalOptions {
  folder: string
  /** For records that the journal does not take. */
  toDatabase: ToDatabase
  /** Bytes in the journals of the server's other processes. */
  bytesElsewhere: () => number
}

/** The click log in a file of this machine: the journal of this process, which the counting follows (counting/counting.ts). */
export function openWrittenJournal(
  { config, log }: Pick<ClickSinkDeps, 'config' | 'log'>,
  { folder, toDatabase, bytesElsewhere }: WrittenJournalOptions,
): ClickWriter {
  const { fsync } = config.clicks
  const reserve = openJournalReserve(config)
  const journal = openJournal(folder, { fsync, reserve, bytesElsewhere })
  const writer = createJournalWriter(journal, log)
  const reported = new Map<string, string>()
  return {
    write(records, release) {
      if (writer.append(records)) release()
      else toDatabase(records, release)
    },
    written: () =>
      journal
        .segments()
        .map(({ id, size, closed, writtenAt }) => ({ id, size, closed, writtenAt }))
        .filter(({ id, size, closed }) => {
          const state = `${size} ${closed}`
          if (reported.get(id) === state) return false
          reported.set(id, state)
          return true
        }),
    forget(segment) {
      journal.forget(segment)
      reported.delete(segment)
    },
    isDegraded: writer.isDegraded,
    lost: () => 0,
    async close() {
      journal.close()
    },
  }
}
