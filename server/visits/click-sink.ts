import { openAppliedJournal } from './applied-journal.ts'
import {
  type ClickLog,
  type ClickSink,
  type ClickSinkDeps,
  journalFolder,
  type OpenClickLog,
  type ToDatabase,
} from './click-log.ts'
import { createDirectWriter } from './direct-writer.ts'
import { openStreamLog } from './stream/stream-log.ts'

const withoutLog = {
  degraded: false,
  applied: 0,
  orphaned: 0,
  corrupt: 0,
  lost: 0,
  journalBytes: 0,
  reserve: { ready: 0, missing: 0 },
}
/**
 * CLICK_MODE decides when a click is safe: `journal`, in a local file or, with CLICK_LOG, in a stream, or in the
 * database while these fail; `sync`, always in the database.
 */
export function openClickSink(
  deps: ClickSinkDeps,
  openClickLog: OpenClickLog = openOwnLog,
): ClickSink {
  const direct = createDirectWriter(deps, () => clickLog?.memory)
  const toDatabase: ToDatabase = (records, release) => void direct.write(records).then(release)
  const clickLog: ClickLog | undefined =
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
