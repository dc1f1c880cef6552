import { join } from 'node:path'
import type { HitStore } from '../../analytics/store/store.ts'
import type { Config } from '../../config.ts'
import type { Logger } from '../../log.ts'
import type { Database } from '../../postgres/database.ts'
import type { Listener } from '../../postgres/listen.ts'
import type { CountingPort, CountingStatus } from './messages.ts'
import type { SegmentStart, WrittenSegment } from '../journal/journal-files.ts'
import type { JournalLag } from '../journal/journal.ts'
import type { WaitingByTarget } from './waiting-clicks.ts'

/** Stores batches of click records, and calls `release` when the responses of their visits may be sent. */
export interface ClickSink {
  write(records: Buffer, release: () => void): void
  status(): ClickSinkStatus
  /** Null without a journal. */
  lag(): JournalLag | null
  /** Undefined without a journal, and until the database has said how much of it was applied. */
  waiting(): Promise<WaitingByTarget | undefined>
  /** The age in milliseconds from which on every click of the server is in the database; undefined while that is not known. */
  uncountedMs(): Promise<number | undefined>
  /** Null unless clicks go into a stream. */
  stream(): ClickStreamStatus | null
  /** Writes and applies the remaining clicks, within about 10 s. */
  close(): Promise<void>
}

export interface ClickSinkStatus extends Omit<
  CountingStatus,
  'bytesElsewhere' | 'directMs' | 'lag' | 'stream'
> {
  /** The journal cannot be written: visitors wait for the database instead. */
  degraded: boolean
}

/** State of the click log in NATS JetStream. */
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
  /** To the counting of the server. */
  port: CountingPort
  log: Logger
}

/** Counts records directly when the log rejects them. */
export type ToDatabase = (records: Buffer, release: () => void) => void

/** Where a process that answers visits writes its clicks, so that they are safe before the database has them. */
export interface ClickWriter {
  write(records: Buffer, release: () => void): void
  /** Segments of the journal that have changed since the last call, for the counting. */
  written(): WrittenSegment[]
  /** The counting has removed the file of a segment. */
  forget(segment: string): void
  isDegraded(): boolean
  /** Visits that got their response but could not be recorded. */
  lost(): number
  /** A click stream, and the clicks that wait here for it. */
  stream?: {
    status(): Pick<ClickStreamStatus, 'isTakenOver' | 'takeovers' | 'published'>
    journalBytes(): number
    lag(): JournalLag
    waiting(): Promise<WaitingByTarget | undefined>
  }
  /** Writes the rest. Call it after the last write. */
  close(): Promise<void>
}

/** The counting side of a click log: its journals, or the stream. */
export interface CountedLog {
  status(): Omit<CountingStatus, 'adopted' | 'bytesElsewhere' | 'directMs' | 'lag' | 'stream'>
  lag(): JournalLag
  waiting(): Promise<WaitingByTarget | undefined>
  stream(): CountingStatus['stream']
  memory: ClickMemory
  /** Takes over the reported writes of a running process to its journal, the subfolder `journal`. */
  follow(journal: string, written: readonly WrittenSegment[]): void
  /** Makes the journal of a process that has ended part of the server's. */
  adopt(journal: string): void
  /** Bytes in all journals but the one in the subfolder `journal`. */
  bytesElsewhere(journal: string): number
  /** The database may lack the last marks: they are read again. */
  clearMarks(): void
  /** Applies the rest, for at most `closeTimeoutMs`. */
  close(): Promise<void>
}

export interface CountedLogDeps extends Pick<ClickSinkDeps, 'config' | 'database' | 'log'> {
  hits: HitStore
}

export interface CountedLogOptions {
  /** Starts to measure how busy the busiest process is that answers visits; the result ends it, 0 to 1. */
  measureLoad?: () => () => number
  /** A segment was applied long ago, and its file is gone. */
  onRemoved?: (segment: string) => void
}

/** Methods of a log for clicks that only memory holds, because neither it nor the database took them. */
export interface ClickMemory {
  /** Records how many there are, for the next start. */
  recordUnsafe(clicks: number): void
  /** Tries the log once more when the server stops, after its `close`. False: it does not take them. */
  keep(records: Buffer, at?: SegmentStart): boolean
}

/** How long a click log has to apply the rest when it is closed. */
export const closeTimeoutMs = 10_000

export const journalFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string =>
  join(dataDir, 'journal')
