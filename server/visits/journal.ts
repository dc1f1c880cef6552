import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { decodeClicks, maxRecordSize } from './click-record.ts'

/** One file of the journal. Its name is its id in `app.click_segments`. */
export interface Segment {
  /** A UUID of version 7: names sort by age. */
  id: string
  path: string
  /** Of a file that belongs into the click stream: where it begins in its source (stream/stream-writer.ts). */
  base: number | undefined
  /** Bytes that are safely in the file. */
  size: number
  /** Bytes known to be in the database; undefined for a file of an earlier process until its mark is read. */
  applied: number | undefined
  /** No more records will be written to it. */
  closed: boolean
  /** When it was last written, in epoch milliseconds. */
  writtenAt: number
}

/** The end of a segment that a running process writes to, as that process knows it. */
export type WrittenSegment = Pick<Segment, 'id' | 'size' | 'closed' | 'writtenAt'>

/** Where a segment begins, as its name says it. */
export type SegmentStart = Pick<Segment, 'id' | 'base'>

export type Journal = ReturnType<typeof openJournal>

interface JournalOptions {
  fsync: boolean
  maxBytes?: number
  /** Bytes in other journals that count towards `maxBytes` too. */
  bytesElsewhere?: () => number
  /** Whether the files belong into the click stream, which has their marks. */
  isOfStream?: boolean
}

/** The maximum size of the journal: beyond it `append` throws. */
export const maxJournalBytes = 1024 ** 3

const segmentBytes = 16 * 1024 ** 2

/**
 * Opens the journal in `folder`, with what earlier processes left there: one process at a time may do that. A worker has
 * a journal of its own in a subfolder, which this one can follow while it is written. Everything here is synchronous: the thread
 * pool that asynchronous file calls share with password hashing may be busy for hundreds of milliseconds.
 */
export function openJournal(
  folder: string,
  { fsync, maxBytes = maxJournalBytes, bytesElsewhere = () => 0, isOfStream }: JournalOptions,
) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of subfoldersOf(folder)) moveUp(folder, name)
  const segments = segmentsIn(folder)
  let total = segments.reduce((sum, { size }) => sum + size, 0)
  let current: { segment: Segment; file: number } | undefined

  const start = (at?: SegmentStart) => {
    const { id, base } = at ?? { id: timeOrderedUuid(), base: isOfStream ? 0 : undefined }
    const path = join(folder, base === undefined ? `${id}.log` : `${id}@${base}.log`)
    const file = openSync(path, 'ax', 0o600)
    const written = { size: 0, applied: 0, closed: false, writtenAt: Date.now() }
    const segment: Segment = { id, base, path, ...written }
    if (fsync) syncFolder(folder)
    segments.push(segment)
    return (current = { segment, file })
  }
  const finish = () => {
    if (!current) return
    current.segment.closed = true
    closeSync(current.file)
    current = undefined
  }

  return {
    /**
     * Appends whole records with one write (and one fdatasync, if so configured).
     * @param at makes them the first ones of a file that begins there
     * @throws when they are not safely in the file; then none of them is in it
     */
    append(bytes: Buffer, at?: SegmentStart): void {
      if (total + bytesElsewhere() + bytes.length > maxBytes)
        throw new Error('the click journal is full')
      if (at || (current && current.segment.size >= segmentBytes)) finish()
      const { segment, file } = current ?? start(at)
      try {
        if (writeSync(file, bytes) !== bytes.length)
          throw new Error('the disk accepted only a part of a write')
        if (fsync) fdatasyncSync(file)
      } catch (error) {
        undoWrite(file, segment.size)
        finish()
        throw error
      }
      segment.size += bytes.length
      segment.writtenAt = Date.now()
      total += bytes.length
    },
    /** All current files, oldest first. */
    segments: (): readonly Segment[] => [...segments],
    read: readSegment,
    /** Deletes the file of an applied segment. */
    remove(segment: Segment): void {
      if (existsSync(segment.path)) unlinkSync(segment.path)
      segments.splice(segments.indexOf(segment), 1)
      total -= segment.size
    },
    /** Bytes in all files. */
    bytes: () => total,
    /** Takes over what a running worker says that it has written to its journal, the subfolder `name`. */
    follow(name: string, written: readonly WrittenSegment[]): void {
      for (const { id, size, closed, writtenAt } of written) {
        let segment = segments.find((each) => each.id === id)
        if (!segment) {
          const path = join(folder, name, `${id}.log`)
          segment = { id, base: undefined, path, size: 0, applied: 0, closed, writtenAt }
          segments.push(segment)
        }
        total += size - segment.size
        Object.assign(segment, { size, closed, writtenAt })
      }
    },
    /** Makes the journal of a worker that has ended part of this one, with what it had no time to tell. */
    adopt(name: string): void {
      if (!existsSync(join(folder, name))) return
      const moved = new Set(moveUp(folder, name))
      if (fsync) syncFolder(folder)
      for (const left of segmentsIn(folder)) {
        if (!moved.has(left.id)) continue
        const { id, path, size, writtenAt } = left
        const known = segments.find((each) => each.id === id)
        total += size - (known?.size ?? 0)
        if (known) Object.assign(known, { path, size, writtenAt, closed: true })
        else segments.push(left)
      }
    },
    /** Bytes in the subfolder `name`. */
    bytesIn: (name: string) =>
      segments.reduce(
        (sum, { path, size }) => (path.startsWith(join(folder, name, '/')) ? sum + size : sum),
        0,
      ),
    /** No longer counts a segment whose file another process has removed. */
    forget(id: string): void {
      const index = segments.findIndex((each) => each.id === id)
      if (index < 0) return
      total -= segments[index]?.size ?? 0
      segments.splice(index, 1)
    },
    /** The next append starts a new file. */
    finish,
    close: finish,
  }
}

const segmentName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@(\d{1,15}))?\.log$/

export const subfoldersOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )

/** Reads from `from` into `buffer`; returns the number of bytes. */
export function readSegment({ path, size }: Segment, from: number, buffer: Buffer): number {
  const file = openSync(path, 'r')
  try {
    return readSync(file, buffer, 0, Math.min(buffer.length, size - from), from)
  } finally {
    closeSync(file)
  }
}

/** Moves the segments of a worker that has ended into `folder`. A segment keeps its id, and with it its mark. Returns the ids. */
function moveUp(folder: string, name: string): string[] {
  const ids: string[] = []
  for (const file of readdirSync(join(folder, name))) {
    const id = segmentName.exec(file)?.[1]
    if (id === undefined) continue
    renameSync(join(folder, name, file), join(folder, file))
    ids.push(id)
  }
  try {
    rmdirSync(join(folder, name))
  } catch {
    // It holds what is not ours.
  }
  return ids
}

/** The segments in the files of a folder, oldest first. */
export function segmentsIn(folder: string): Segment[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, id, at] = segmentName.exec(file) ?? []
      if (id === undefined) return []
      const base = at === undefined ? undefined : Number(at)
      const path = join(folder, file)
      const { size, mtimeMs } = statSync(path)
      return [{ id, base, path, size, applied: undefined, closed: true, writtenAt: mtimeMs }]
    })
}

/** Removes the bytes of a failed write, so that none of its clicks is counted later. Truncating needs no disk space. */
function undoWrite(file: number, size: number): void {
  try {
    ftruncateSync(file, size)
  } catch {
    // The disk is gone altogether, and the failed write with it.
  }
}

/** Makes a new file's name as durable as its content. */
function syncFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** RFC 9562, version 7: 48 bits of epoch milliseconds, then random ones. */
export function timeOrderedUuid(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

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

/** How far the database is behind the journal. Reads a record from disk, so call it for a status page, not per visit. */
export function lagOf(journal: Journal): JournalLag {
  const segments = journal.segments()
  const oldest = segments.find(({ size, applied }) => (applied ?? 0) < size)
  if (!oldest) return { segments: segments.length, waitingBytes: 0, oldestWaitingSeconds: null }
  const buffer = Buffer.alloc(maxRecordSize)
  const length = journal.read(oldest, oldest.applied ?? 0, buffer)
  const at = decodeClicks(buffer.subarray(0, length), 1, true).clicks.times[0] ?? oldest.writtenAt
  const oldestWaitingSeconds = Math.max(0, Math.round((Date.now() - at) / 1000))
  return { segments: segments.length, waitingBytes: waitingBytes(journal), oldestWaitingSeconds }
}
