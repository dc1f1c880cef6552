import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { maxRecordSize } from '../record/click-record.ts'
import { decodeClicks } from '../record/decode-clicks.ts'
import {
  readSegment,
  type Segment,
  type SegmentStart,
  syncFolder,
  timeOrderedUuid,
  undoWrite,
} from './journal-files.ts'
import { type JournalReserve, pieceBytes } from './journal-reserve.ts'
import { openJournalSegments } from './journal-segments.ts'
import { writeOnlyInMemory } from './only-in-memory.ts'

export type Journal = ReturnType<typeof openJournal>

interface JournalOptions {
  fsync: boolean
  maxBytes?: number
  /** Bytes in other journals that count towards `maxBytes` too. */
  bytesElsewhere?: () => number
  /** Whether the files belong into the click stream, which has their marks. */
  isOfStream?: boolean
  /** Room for when the disk is full. */
  reserve?: Pick<JournalReserve, 'take'>
  /** Gets the number of clicks that only the memory of a process held that has ended. */
  onLost?: (clicks: number) => void
}

/** The maximum size of the journal: beyond it `append` throws. */
export const maxJournalBytes = 1024 ** 3

const segmentBytes = 16 * 1024 ** 2

/**
 * Opens the journal in `folder`, with the files of earlier processes: one process at a time may do that. A worker has
 * a separate journal in a subfolder, which this one can follow while it is written. Everything here is synchronous: the thread
 * pool that asynchronous file calls share with password hashing may be busy for hundreds of milliseconds.
 */
export function openJournal(
  folder: string,
  {
    fsync,
    maxBytes = maxJournalBytes,
    bytesElsewhere = () => 0,
    isOfStream,
    reserve,
    onLost = () => {},
  }: JournalOptions,
) {
  const segments = openJournalSegments(folder, { fsync, onLost })
  let current: { segment: Segment; file: number; isReserve: boolean } | undefined

  const start = (at: SegmentStart | undefined, open: (path: string) => number | undefined) => {
    const { id, base } = at ?? { id: timeOrderedUuid(), base: isOfStream ? 0 : undefined }
    const path = join(folder, base === undefined ? `${id}.log` : `${id}@${base}.log`)
    makeFolder(folder)
    const file = open(path)
    if (file === undefined) return undefined
    const written = { size: 0, applied: 0, closed: false, writtenAt: Date.now() }
    const segment: Segment = { id, base, path, ...written }
    if (fsync) syncFolder(folder)
    segments.add(segment)
    return (current = { segment, file, isReserve: open !== create })
  }
  const finish = () => {
    if (!current) return
    const { segment, file, isReserve } = current
    current = undefined
    segment.closed = true
    if (isReserve) ftruncateSync(file, segment.size)
    closeSync(file)
    if (segment.size === 0) segments.remove(segment)
  }
  const write = ({ segment, file }: NonNullable<typeof current>, bytes: Buffer) => {
    try {
      if (writeSync(file, bytes, 0, bytes.length, segment.size) !== bytes.length)
        throw new Error('the disk accepted only a part of a write')
      if (fsync) fdatasyncSync(file)
    } catch (error) {
      undoWrite(file, segment.size)
      finish()
      throw error
    }
    segments.grown(segment, bytes.length)
  }
  const isFull = (bytes: Buffer) =>
    current !== undefined &&
    (current.isReserve
      ? current.segment.size + bytes.length > pieceBytes
      : current.segment.size >= segmentBytes)

  return {
    /**
     * Appends whole records with one write (and one fdatasync, if so configured).
     * @param at makes them the first ones of a file that begins there
     * @param isLast the records in memory when the server stops: they may have all that is left of the reserve
     * @throws when they are not safely in the file; then none of them is in it
     */
    append(bytes: Buffer, at?: SegmentStart, isLast = false): void {
      if (segments.bytes() + bytesElsewhere() + bytes.length > maxBytes)
        throw new Error('the click journal is full')
      if (at || isFull(bytes)) finish()
      try {
        const target = current ?? start(at, create)
        if (target) write(target, bytes)
      } catch (error) {
        const target = start(at, (path) => reserve?.take(path, isLast))
        if (!target) throw error
        write(target, bytes)
      }
    },
    /** Whether the disk is full, and the reserve takes writes. */
    isInReserve: () => current?.isReserve === true,
    /** Notes how many clicks only memory holds, so that the next start can say that they were lost. */
    recordUnsafe: (clicks: number) => writeOnlyInMemory(folder, clicks),
    /** All current files, oldest first. */
    segments: segments.all,
    read: readSegment,
    /** Deletes the file of an applied segment. */
    remove: segments.remove,
    /** Bytes in all files. */
    bytes: segments.bytes,
    follow: segments.follow,
    adopt: segments.adopt,
    bytesIn: segments.bytesIn,
    forget: segments.forget,
    /** The next append starts a new file. */
    finish,
    close: finish,
  }
}

/** The disk may have been gone; without the folder above it still is. */
function makeFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 })
}

const create = (path: string): number => openSync(path, 'wx', 0o600)

export interface JournalLag {
  segments: number
  /** Written, but not yet in the database. */
  waitingBytes: number
  /** Age of the oldest waiting click; null when none is waiting. */
  oldestWaitingSeconds: number | null
}

/** Bytes of records that are written, but not yet in the database. */
export function waitingBytes(journal: Journal): number {
  return journal.segments().reduce((sum, { size, applied }) => sum + size - (applied ?? 0), 0)
}

/** Sum of the lags of two logs. */
export function sumOfLags(one: JournalLag, other: JournalLag): JournalLag {
  const oldest = [one, other].flatMap(({ oldestWaitingSeconds }) => oldestWaitingSeconds ?? [])
  return {
    segments: one.segments + other.segments,
    waitingBytes: one.waitingBytes + other.waitingBytes,
    oldestWaitingSeconds: oldest.length > 0 ? Math.max(...oldest) : null,
  }
}

/** How far the database is behind the journal. Reads a record from disk, so call it for a status page, not per visit. */
export function lagOf(journal: Journal): JournalLag {
  const segments = journal.segments()
  const oldest = segments.find(({ size, applied }) => (applied ?? 0) < size)
  if (!oldest) return { segments: segments.length, waitingBytes: 0, oldestWaitingSeconds: null }
  const at = firstTimeIn(journal, oldest) ?? oldest.writtenAt
  const oldestWaitingSeconds = Math.max(0, Math.round((Date.now() - at) / 1000))
  return { segments: segments.length, waitingBytes: waitingBytes(journal), oldestWaitingSeconds }
}

/** The time of the first click that waits in a segment; undefined where it cannot be read, on a disk that is gone. */
function firstTimeIn(journal: Pick<Journal, 'read'>, segment: Segment): number | undefined {
  const buffer = Buffer.alloc(maxRecordSize)
  try {
    const length = journal.read(segment, segment.applied ?? 0, buffer)
    return decodeClicks(buffer.subarray(0, length), 1, true).clicks.times[0]
  } catch {
    return undefined
  }
}
