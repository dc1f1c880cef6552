import { join } from 'node:path'
import { type ClickSinkDeps, journalFolder, type OpenClickLog } from '../visits/click-log.ts'
import { createJournalWriter } from '../visits/journal-writer.ts'
import { openJournalReserve } from '../visits/journal-reserve.ts'
import { openJournal } from '../visits/journal.ts'
import { openStreamLog } from '../visits/stream/stream-log.ts'
import { createPrimaryReports } from './primary-reports.ts'
import type { PrimaryLink } from './primary-link.ts'

interface WorkerLogOptions {
  /** Of its journal's folder, which no other process has used. */
  name: string
  primary: PrimaryLink
}

/**
 * Where a worker writes clicks. The primary alone applies those of all workers, from their journals or from the click
 * stream, so that it alone decides which visits are repeats.
 */
export const openWorkerLog =
  (options: WorkerLogOptions): OpenClickLog =>
  (deps, toDatabase) =>
    deps.config.clicks.stream
      ? openWorkerStream(deps, toDatabase, options)
      : openWorkerJournal(deps, toDatabase, options)

/** It only writes, and tells the primary how far. */
function openWorkerJournal(
  { config, log }: ClickSinkDeps,
  toDatabase: Parameters<OpenClickLog>[1],
  { name, primary }: WorkerLogOptions,
): ReturnType<OpenClickLog> {
  const reported = new Map<string, string>()
  const reports = createPrimaryReports(primary, () =>
    journal
      .segments()
      .map(({ id, size, closed, writtenAt }) => ({ id, size, closed, writtenAt }))
      .filter(({ id, size, closed }) => {
        const state = `${size} ${closed}`
        if (reported.get(id) === state) return false
        reported.set(id, state)
        return true
      }),
  )
  const journal = openJournal(join(journalFolder(config), name), {
    fsync: config.clicks.fsync,
    reserve: openJournalReserve(config),
    bytesElsewhere: () => reports.known()?.bytesElsewhere ?? 0,
  })
  const writer = createJournalWriter(journal, log)
  primary.on((message) => {
    if (message.kind !== 'removed') return
    journal.forget(message.segment)
    reported.delete(message.segment)
  })

  return {
    write(records, release) {
      if (writer.append(records)) release()
      else toDatabase(records, release)
    },
    status: () => ({ ...reports.status(journal.bytes()), degraded: writer.isDegraded(), lost: 0 }),
    memory: { note: journal.recordUnsafe, keep: writer.keep },
    lag: () => reports.known()?.lag ?? null,
    waiting: reports.waiting,
    /** The primary applies the rest when this process has ended. */
    async close() {
      await reports.close()
      journal.close()
    },
  }
}

/** It publishes by itself. The primary publishes the rest of its journal when it ends. */
function openWorkerStream(
  deps: ClickSinkDeps,
  toDatabase: Parameters<OpenClickLog>[1],
  { name, primary }: WorkerLogOptions,
): ReturnType<OpenClickLog> {
  const { stream: settings } = deps.config.clicks
  if (!settings) throw new Error('there is no click stream')
  const folder = join(journalFolder(deps.config), name)
  const stream = openStreamLog(deps, toDatabase, { settings, folder, isReader: false })
  const reports = createPrimaryReports(primary, () => [])
  return {
    ...stream,
    status() {
      const { degraded, lost, journalBytes } = stream.status()
      return { ...reports.status(journalBytes), degraded, lost }
    },
    lag: () => reports.known()?.lag ?? null,
    waiting: reports.waiting,
    async close() {
      await reports.close()
      await stream.close()
    },
  }
}
