import { setTimeout as sleep } from 'node:timers/promises'
import type { HitStore } from '../../analytics/store/store.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import { startPeriodicJob } from '../../primitives/jobs.ts'
import type { Segment } from '../journal/journal-files.ts'
import { type Journal, maxJournalBytes, waitingBytes } from '../journal/journal.ts'
import { createRunAsVisits, createSegmentApplier, type RunAsVisits } from './segment-applier.ts'
import { endMark, readApplied, removeOldSources } from './segment-marks.ts'
import { createBatchPauses } from './visitors-first.ts'
import { startApplyLoop } from './apply-loop.ts'

interface ApplierDeps {
  journal: Journal
  database: Database
  hits: HitStore
  log: Logger
  /** Starts to measure how busy the event loop is that answers visitors; the result ends it, 0 to 1. */
  measureLoad?: (() => () => number) | undefined
}

const retentionIntervalMs = 10 * 60 * 1000
/** With more than this in the journal the applier does not pause: about 20 s of visits at full load. */
const maxWaitingBytes = 64 * 1024 ** 2
/** Longer than the time between two backups, so that a restored database gets its later clicks again. */
export const keepAppliedMs = 48 * 60 * 60 * 1000
/** Beyond this size of the journal, applied segments are removed earlier. */
const crowdedBytes = maxJournalBytes * 0.75

/** Applies the journal to the database. */
export function startApplier({ journal, database, hits, log, measureLoad }: ApplierDeps) {
  const asVisits = createRunAsVisits(database)
  const applier = createSegmentApplier({ journal, asVisits, hits, log })
  const waitingFiles = new Set<string>()

  const startPause = createBatchPauses({
    measureLoad,
    isUrgent: () => loop.isClosed() || waitingBytes(journal) > maxWaitingBytes,
  })

  const warnOfWaiting = ({ path }: Segment) => {
    if (waitingFiles.has(path)) return
    waitingFiles.add(path)
    log.warn(
      { file: path },
      'clicks in this file wait for earlier ones in the click stream: set CLICK_LOG to it until they are counted',
    )
  }

  const applyAll = async (): Promise<void> => {
    for (const segment of journal.segments()) {
      segment.applied ??= await asVisits((db) => readApplied(db, segment))
      if (segment.applied === undefined) warnOfWaiting(segment)
      while (applier.isBehind(segment)) {
        const pause = startPause()
        await applier.applyNext(segment)
        await pause()
      }
    }
    if (journal.bytes() > crowdedBytes) await removeOldSegments(journal, asVisits)
  }

  const loop = startApplyLoop({ log, source: 'the journal', apply: applyAll })
  const retention = startPeriodicJob(
    log,
    'removal of old click segments',
    { everyMs: retentionIntervalMs },
    () => removeOldFiles(journal, asVisits),
  )

  return {
    status: applier.totals,
    /** The database may lack the last marks, and the clicks with them: they are read again, and the clicks applied again. */
    clearMarks() {
      for (const segment of journal.segments()) segment.applied = undefined
    },
    /** Applies the rest of the journal, for at most `timeoutMs`. Clicks that the database does not accept stay in it. */
    async close(timeoutMs: number) {
      const stopped = loop.stop()
      await retention.close()
      // Once more after the current run, which may have read the journal before its last record was written.
      const drained = stopped.then(loop.applyOnce)
      await Promise.race([drained, sleep(timeoutMs, undefined, { ref: false })])
    },
  }
}

/** Removes old applied segments: first the file, then its mark, so that no click is applied twice. */
async function removeOldSegments(journal: Journal, asVisits: RunAsVisits): Promise<void> {
  for (const segment of journal.segments()) {
    const { applied, closed, size, writtenAt } = segment
    const isApplied = closed && applied !== undefined && applied >= size
    const isOld = Date.now() - writtenAt >= keepAppliedMs || journal.bytes() > crowdedBytes
    if (!isApplied || !isOld) continue
    journal.remove(segment)
    await asVisits((db) => endMark(db, segment))
  }
}

/** Removes old applied segments, and the marks of sources in a click stream, also in a former one, that no file can need. */
export async function removeOldFiles(journal: Journal, asVisits: RunAsVisits): Promise<void> {
  await removeOldSegments(journal, asVisits)
  await asVisits(removeOldSources)
}
