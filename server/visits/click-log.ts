import { join } from 'node:path'
import type { HitStore } from '../analytics/store/store.ts'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import type { Database } from '../postgres/database.ts'
import type { Listener } from '../postgres/listen.ts'
import type { Breaker } from '../primitives/breaker.ts'
import type { SegmentStart } from './journal-files.ts'
import type { JournalLag } from './journal.ts'
import type { WaitingByTarget } from './waiting-clicks.ts'

/** Stores batches of click records, and calls `release` when the responses of their visits may be sent. */
export interface ClickSink {
  write(records: Buffer, release: () => void): void
  status(): ClickSinkStatus
  /** Null without a journal. */
  lag(): JournalLag | null
  /** Undefined without a journal, and until the database has said how much of it was applied. */
  waiting(): Promise<WaitingByTarget | undefined>
  /** Null unless clicks go into a stream. */
  stream(): ClickStreamStatus | null
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
  /** Bytes that wait for a full disk (journal-reserve.ts), and those that were used and could not be restored yet. */
  reserve: { ready: number; missing: number }
}

/** Of the click log in NATS JetStream. */
export interface ClickStreamStatus {
  /** The stream does not answer: the journal takes the clicks of this process. */
  isTakenOver: boolean
  takeovers: number
  /** Messages that the stream has acknowledged. */
  published: number
  /** Bytes of clicks that the stream has lost or deleted before they were counted. */
  missingBytes: number
  /** Messages that are not in the database yet. */
  waitingMessages: number
}

export interface ClickSinkDeps {
  config: Pick<Config, 'clicks' | 'dataDir' | 'workers'>
  database: Database
  listener?: Pick<Listener, 'on'> | undefined
  breaker: Breaker
  hits: HitStore
  log: Logger
}

/** Where clicks are safe before the database has them. */
export interface ClickLog extends Omit<ClickSink, 'status' | 'stream'> {
  status(): ClickSinkStatus
  stream?(): ClickStreamStatus
  memory: ClickMemory
}

/** Methods of a log for clicks that only memory holds, because neither it nor the database took them. */
export interface ClickMemory {
  /** Notes how many there are, for the next start. */
  note(clicks: number): void
  /** Tries the log once more when the server stops, after its `close`. False: it does not take them. */
  keep(records: Buffer, at?: SegmentStart): boolean
}

/** Counts records in the database while their visitors wait. */
export type ToDatabase = (records: Buffer, release: () => void) => void

/** @param toDatabase for records that the log does not take */
export type OpenClickLog = (deps: ClickSinkDeps, toDatabase: ToDatabase) => ClickLog

/** How long a click log has to apply the rest when it is closed. */
export const closeTimeoutMs = 10_000

export const journalFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  join(dataDir, 'journal')
