import { join } from 'node:path'
import { type ClickSink, type ClickSinkDeps, journalFolder, type ToDatabase } from './click-log.ts'
import { createCountingLink } from './counting-link.ts'
import type { CountingStatus } from './messages.ts'
import { openWrittenJournal } from '../journal/written-journal.ts'
import { openStreamLog } from '../stream/stream-log.ts'
import { sumOfLags } from '../journal/journal.ts'
import { mergeWaiting } from './waiting-clicks.ts'

const unknownStatus: CountingStatus = {
  applied: 0,
  orphaned: 0,
  corrupt: 0,
  lost: 0,
  adopted: 0,
  journalBytes: 0,
  bytesElsewhere: 0,
  reserve: { ready: 0, missing: 0 },
  lag: null,
  directMs: 0,
  stream: { missingBytes: 0, waitingMessages: 0 },
}

/** The age of the oldest click is in whole seconds. */
const roundedSeconds = 1

/**
 * CLICK_MODE decides when a click is safe: `journal`, in a local file or, with CLICK_LOG, in a stream, or in the
 * database while these fail; `sync`, always in the database.
 */
export function openClickSink(deps: ClickSinkDeps): ClickSink {
  const link = createCountingLink({
    ...deps,
    written: () => writer?.written() ?? [],
    onRemoved: (segment) => writer?.forget(segment),
  })
  const known = () => link.status() ?? unknownStatus
  const writer = openWriter(deps, { toDatabase: link.count, known })
  const lag = () => {
    const { lag: counted } = known()
    const here = writer?.stream?.lag()
    return counted && here ? sumOfLags(counted, here) : counted
  }
  const waiting = async () => {
    const [counted, here] = await Promise.all([link.waiting(), writer?.stream?.waiting()])
    if (!writer?.stream) return counted
    return counted && here && mergeWaiting(counted, here)
  }
  return {
    write: writer?.write ?? link.count,
    status() {
      const { bytesElsewhere: _, directMs: __, lag: ___, stream: ____, ...status } = known()
      return {
        ...status,
        lost: status.lost + (writer?.lost() ?? 0),
        journalBytes: status.journalBytes + (writer?.stream?.journalBytes() ?? 0),
        degraded: writer?.isDegraded() ?? false,
      }
    },
    lag,
    waiting,
    async uncountedMs() {
      // The status that comes with the answer includes every write until now.
      const isKnown = (await waiting()) !== undefined
      if (writer && !isKnown) return undefined
      const seconds = lag()?.oldestWaitingSeconds
      const ofLog = typeof seconds === 'number' ? (seconds + roundedSeconds) * 1_000 : 0
      return Math.max(ofLog, known().directMs)
    },
    stream: () => (writer?.stream ? { ...writer.stream.status(), ...known().stream } : null),
    async close() {
      await writer?.close()
      await link.close()
    },
  }
}

interface WriterOptions {
  toDatabase: ToDatabase
  known: () => CountingStatus
}

function openWriter(deps: ClickSinkDeps, { toDatabase, known }: WriterOptions) {
  const { config, port } = deps
  const { mode, stream: settings } = config.clicks
  if (mode !== 'journal') return undefined
  const folder = join(journalFolder(config), port.journal)
  const bytesElsewhere = () => known().bytesElsewhere
  return settings
    ? openStreamLog(deps, { settings, folder, toDatabase })
    : openWrittenJournal(deps, { folder, toDatabase, bytesElsewhere })
}
