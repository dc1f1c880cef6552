import { startApplier } from './applier.ts'
import {
  type ClickLog,
  type ClickSink,
  type ClickSinkDeps,
  closeTimeoutMs,
  journalFolder,
  type OpenClickLog,
  type ToDatabase,
} from './click-log.ts'
import { createDirectWriter } from './direct-writer.ts'
import { createJournalWriter } from './journal-writer.ts'
import { lagOf, openJournal } from './journal.ts'
import { openStreamLog } from './stream/stream-log.ts'
import { readWaitingClicks } from './waiting-clicks.ts'

const withoutLog = {
  degraded: false,
  applied: 0,
  orphaned: 0,
  corrupt: 0,
  lost: 0,
  journalBytes: 0,
}
/**
 * CLICK_MODE decides when a click is safe: `journal`, in a local file or, with CLICK_LOG, in a stream, or in the
 * database while these fail; `sync`, always in the database.
 */
export function openClickSink(
  deps: ClickSinkDeps,
  openClickLog: OpenClickLog = openOwnLog,
): ClickSink {
  const direct = createDirectWriter(deps)
  const toDatabase: ToDatabase = (records, release) => void direct.write(records).then(release)
  const clickLog =
    deps.config.clicks.mode === 'journal' ? openClickLog(deps, toDatabase) : undefined
  return {
    write: clickLog?.write ?? toDatabase,
    status() {
      const { applied, lost } = direct.status()
      const inLog = clickLog?.status() ?? withoutLog
      return { ...inLog, applied: applied + inLog.applied, lost: lost + inLog.lost }
    },
    lag: () => clickLog?.lag() ?? null,
    waiting: async () => clickLog?.waiting(),
    stream: () => clickLog?.stream?.() ?? null,
    async close() {
      await clickLog?.close()
      await direct.close()
    },
  }
}

/** The log of a server in one process. */
const openOwnLog: OpenClickLog = (deps, toDatabase) => {
  const { stream: settings } = deps.config.clicks
  const folder = journalFolder(deps.config)
  return settings
    ? openStreamLog(deps, toDatabase, { settings, folder, isReader: true })
    : openAppliedJournal(deps, toDatabase)
}

/** The journal with its applier. */
function openAppliedJournal(
  { config, database, hits, listener, log }: ClickSinkDeps,
  toDatabase: ToDatabase,
): ClickLog {
  const journal = openJournal(journalFolder(config), { fsync: config.clicks.fsync })
  const applier = startApplier({ journal, database, hits, listener, log })
  const writer = createJournalWriter(journal, log)
  return {
    write(records, release) {
      if (writer.append(records)) release()
      else toDatabase(records, release)
    },
    status: () => ({
      degraded: writer.isDegraded(),
      ...applier.status(),
      lost: 0,
      journalBytes: journal.bytes(),
    }),
    lag: () => lagOf(journal),
    waiting: () => readWaitingClicks(journal),
    async close() {
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}
