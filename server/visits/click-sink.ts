import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { startApplier } from './applier.ts'
import { createDirectWriter, type DirectWriter } from './direct-writer.ts'
import { openJournal } from './journal.ts'
import { type JournalLag, lagOf } from './journal-lag.ts'
import { warnIfVolatile } from './journal-place.ts'

/** Stores batches of click records, and calls `release` when the responses of their visits may be sent. */
export interface ClickSink {
  write(records: Buffer, count: number, release: () => void): void
  status(): ClickSinkStatus
  /** Only with a journal. */
  lag?(): JournalLag
  /** Writes and applies the remaining clicks, within about 10 s. */
  close(): Promise<void>
}

export interface ClickSinkStatus {
  /** The journal cannot be written: visitors wait for the database instead. */
  degraded: boolean
  applied: number
  /** Clicks on links that were deleted in the meantime. */
  orphaned: number
  /** Damaged journal records. */
  corrupt: number
  /** Visits that got their response but could not be recorded. */
  lost: number
  journalBytes: number
}

export interface ClickSinkDeps {
  config: Pick<Config, 'clicks' | 'dataDir'>
  database: Database
  breaker: Breaker
  log: Logger
}

const closeTimeoutMs = 10_000
/** After this many clicks the applier starts at once instead of at its next interval. */
const clicksPerNudge = 1_000
const journalRetryMs = 1_000

/** CLICK_MODE decides when a click is safe: `journal`, in a local file; `sync`, in the database. */
export function openClickSink(deps: ClickSinkDeps): ClickSink {
  const direct = createDirectWriter(deps)
  return deps.config.clicks.mode === 'journal' ? journalSink(deps, direct) : directSink(direct)
}

function journalSink({ config, database, log }: ClickSinkDeps, direct: DirectWriter): ClickSink {
  const folder = join(config.dataDir, 'journal')
  const journal = openJournal(folder, { fsync: config.clicks.fsync })
  warnIfVolatile(folder, log)
  const applier = startApplier({ journal, database, log })
  let degraded = false
  let nextAttemptAt = 0
  let sinceNudge = 0

  const append = (records: Buffer): boolean => {
    if (degraded && performance.now() < nextAttemptAt) return false
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
      nextAttemptAt = performance.now() + journalRetryMs
      return false
    }
  }

  return {
    write(records, count, release) {
      if (!append(records)) return void direct.write(records).then(release)
      release()
      sinceNudge += count
      if (sinceNudge >= clicksPerNudge) {
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
      await direct.close()
      await applier.close(closeTimeoutMs)
      journal.close()
    },
  }
}

function directSink(direct: DirectWriter): ClickSink {
  return {
    write: (records, _count, release) => void direct.write(records).then(release),
    status: () => ({
      degraded: false,
      orphaned: 0,
      corrupt: 0,
      journalBytes: 0,
      ...direct.status(),
    }),
    close: () => direct.close(),
  }
}
