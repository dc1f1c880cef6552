import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { HitStore } from '../analytics/store/store.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Breaker } from '../primitives/breaker.ts'
import { startApplier } from './applier.ts'
import { createDirectWriter } from './direct-writer.ts'
import { type Journal, type JournalLag, lagOf, openJournal } from './journal.ts'
import { readWaitingClicks, type WaitingByTarget } from './waiting-clicks.ts'

/** Stores batches of click records, and calls `release` when the responses of their visits may be sent. */
export interface ClickSink {
  write(records: Buffer, release: () => void): void
  status(): ClickSinkStatus
  /** Null without a journal. */
  lag(): JournalLag | null
  /** Undefined without a journal, and until the database has said how much of it was applied. */
  waiting(): Promise<WaitingByTarget | undefined>
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
  hits: HitStore
  log: Logger
}

const withoutJournal = { degraded: false, applied: 0, orphaned: 0, corrupt: 0, journalBytes: 0 }
export const closeTimeoutMs = 10_000
const journalRetryMs = 1_000

/** Where clicks are safe before the database has them. */
export interface ClickJournal extends Omit<ClickSink, 'write' | 'status'> {
  /** False: the records are not in the journal. */
  append(records: Buffer): boolean
  status(): Omit<ClickSinkStatus, 'lost'>
}

/**
 * CLICK_MODE decides when a click is safe: `journal`, in a local file, or in the database while the file cannot be
 * written; `sync`, always in the database.
 */
export function openClickSink(
  deps: ClickSinkDeps,
  openClickJournal: (deps: ClickSinkDeps) => ClickJournal = openAppliedJournal,
): ClickSink {
  const direct = createDirectWriter(deps)
  const journal = deps.config.clicks.mode === 'journal' ? openClickJournal(deps) : undefined
  return {
    write(records, release) {
      if (journal?.append(records)) release()
      else void direct.write(records).then(release)
    },
    status() {
      const { applied, lost } = direct.status()
      const inJournal = journal?.status() ?? withoutJournal
      return { ...inJournal, applied: applied + inJournal.applied, lost }
    },
    lag: () => journal?.lag() ?? null,
    waiting: async () => journal?.waiting(),
    async close() {
      await direct.close()
      await journal?.close()
    },
  }
}

/** The journal with its applier. */
function openAppliedJournal({ config, database, hits, log }: ClickSinkDeps): ClickJournal {
  const journal = openJournal(journalFolder(config), { fsync: config.clicks.fsync })
  const applier = startApplier({ journal, database, hits, log })
  const writer = createJournalWriter(journal, log)
  return {
    append: writer.append,
    status: () => ({
      degraded: writer.isDegraded(),
      ...applier.status(),
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

export const journalFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  join(dataDir, 'journal')

/** Writes to the journal. After a failed write it is tried again once a second. */
export function createJournalWriter(journal: Pick<Journal, 'append'>, log: Logger) {
  let degraded = false
  let nextAttemptAt = 0
  return {
    isDegraded: () => degraded,
    /** False: the records are not in the journal. */
    append(records: Buffer): boolean {
      if (degraded && performance.now() < nextAttemptAt) return false
      try {
        journal.append(records)
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
