import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import { type VisitResponse, type ResponseSink, send } from './responses.ts'
import { startApplier } from './applier.ts'
import type { Breaker } from './breaker.ts'
import { encodeClick, maxRecordSize, type TargetKind } from './click-record.ts'
import { createDirectWriter, type DirectWriter } from './direct-writer.ts'
import { type Journal, openJournal } from './journal.ts'
import { type JournalLag, lagOf } from './journal-lag.ts'
import { warnIfVolatile } from './journal-place.ts'
import type { Visitor } from './visitor.ts'

/** Records visits, then lets their answers go. */
export interface Clicks {
  /** Records one visit and sends `answer` as soon as the record is as safe as the mode promises. */
  record(
    target: { kind: TargetKind; idBytes: Uint8Array },
    visitor: Visitor,
    outlet: ResponseSink,
    answer: VisitResponse,
  ): void
  status(): ClickStatus
  /** Null without a journal. */
  lag(): JournalLag | null
  /** Writes and applies what is there, within about 10 s. */
  close(): Promise<void>
}

export interface ClickStatus {
  mode: Config['clicks']['mode']
  /** The journal can't be written: visitors wait for the database instead. */
  degraded: boolean
  applied: number
  /** Clicks on links that were deleted meanwhile. */
  orphaned: number
  /** Damaged journal records. */
  corrupt: number
  /** Visits that were answered and could be recorded nowhere. */
  lost: number
  journalBytes: number
}

interface Parts {
  config: Pick<Config, 'clicks' | 'dataDir'>
  database: Database
  breaker: Breaker
  log: Logger
}

/** Takes a batch of records and calls `release` when its answers may go. */
interface Sink {
  write(records: Buffer, count: number, release: () => void): void
  status(): Omit<ClickStatus, 'mode'>
  lag?(): JournalLag
  close(): Promise<void>
}

const batchSize = 1024 ** 2
const drainFor = 10_000
const nudgeAt = 1_000
const memoryEvery = 500
const retryJournalEvery = 1_000

/**
 * Group commit: all visits of one turn of the event loop are written together, then all their answers go. The mode
 * decides what "written" means: `journal` a local file, `sync` the database, `memory` nothing (a crash loses them).
 */
export function openClicks(parts: Parts): Clicks {
  const sink = openSink(parts)
  const buffer = Buffer.allocUnsafe(batchSize)
  let size = 0
  let outlets: ResponseSink[] = []
  let answers: VisitResponse[] = []

  const flush = () => {
    if (outlets.length === 0) return
    const batch = { outlets, answers }
    const records = buffer.subarray(0, size)
    outlets = []
    answers = []
    size = 0
    sink.write(records, batch.outlets.length, () => {
      for (const [i, outlet] of batch.outlets.entries()) {
        const answer = batch.answers[i]
        if (answer) send(outlet, answer)
      }
    })
  }

  return {
    record({ kind, idBytes }, visitor, outlet, answer) {
      if (size > batchSize - maxRecordSize) flush()
      size = encodeClick(buffer, size, Date.now(), kind, idBytes, visitor)
      answers.push(answer)
      if (outlets.push(outlet) === 1) setImmediate(flush)
    },
    status: () => ({ mode: parts.config.clicks.mode, ...sink.status() }),
    lag: () => sink.lag?.() ?? null,
    async close() {
      flush()
      await sink.close()
    },
  }
}

function openSink(parts: Parts): Sink {
  const direct = createDirectWriter(parts)
  switch (parts.config.clicks.mode) {
    case 'journal':
      return journalSink(parts, direct)
    case 'sync':
      return directSink(direct)
    case 'memory':
      return memorySink(direct)
  }
}

function journalSink({ config, database, log }: Parts, direct: DirectWriter): Sink {
  const folder = join(config.dataDir, 'journal')
  const journal: Journal = openJournal(folder, { fsync: config.clicks.fsync })
  warnIfVolatile(folder, log)
  const applier = startApplier({ journal, database, log })
  let degradedUntil = 0
  let degraded = false
  let sinceNudge = 0

  const append = (records: Buffer): boolean => {
    if (degraded && performance.now() < degradedUntil) return false
    try {
      journal.append(records)
      if (degraded) log.info('the click journal can be written again')
      degraded = false
      return true
    } catch (error) {
      if (!degraded)
        log.error(
          { err: error },
          'the click journal cannot be written: visitors wait for the database',
        )
      degraded = true
      degradedUntil = performance.now() + retryJournalEvery
      return false
    }
  }

  return {
    write(records, count, release) {
      if (!append(records)) return void direct.write(records).then(release)
      release()
      sinceNudge += count
      if (sinceNudge >= nudgeAt) {
        sinceNudge = 0
        applier.nudge()
      }
    },
    status() {
      const { applied, orphaned, corrupt } = applier.status()
      const fallback = direct.status()
      return {
        degraded,
        applied: applied + fallback.applied,
        orphaned,
        corrupt,
        lost: fallback.lost,
        journalBytes: journal.bytes(),
      }
    },
    lag: () => lagOf(journal),
    async close() {
      await applier.close(drainFor)
      journal.close()
    },
  }
}

function directSink(direct: DirectWriter): Sink {
  let last: Promise<void> = Promise.resolve()
  return {
    write(records, _count, release) {
      last = direct.write(records).then(release)
    },
    status: () => withoutJournal(direct),
    close: () => last,
  }
}

/** What others do, kept for who wants it and as the tests' proof that they would notice a loss. */
function memorySink(direct: DirectWriter): Sink {
  let held: Buffer[] = []
  const flush = async () => {
    const records = Buffer.concat(held)
    held = []
    if (records.length > 0) await direct.write(records)
  }
  const timer = setInterval(() => void flush(), memoryEvery)
  return {
    write(records, _count, release) {
      held.push(Buffer.from(records))
      release()
    },
    status: () => withoutJournal(direct),
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

function withoutJournal(direct: DirectWriter): Omit<ClickStatus, 'mode'> {
  return { degraded: false, orphaned: 0, corrupt: 0, journalBytes: 0, ...direct.status() }
}
