import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { maxRecordSize } from '../record/click-record.ts'
import { lastRecordEnd } from '../record/decode-clicks.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** One file of the journal. Its name is its id in `app.click_segments`. */
export interface Segment {
  /** A UUID of version 7: names sort by age. */
  id: string
  path: string
  /** Start of a file that belongs into the click stream, in its source (stream/stream-writer.ts). */
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
export function moveUp(folder: string, name: string): string[] {
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
    // Not empty: it holds foreign files.
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
      const base = ifDefined(at, Number)
      const path = join(folder, file)
      const { size: length, mtimeMs } = statSync(path)
      const size = sizeOf(path, length)
      return [{ id, base, path, size, applied: undefined, closed: true, writtenAt: mtimeMs }]
    })
}

/** More zeros than a record has in a row. */
const paddingBytes = 64
const blockBytes = 64 * 1024

/**
 * How much of a file are records. One that was made of the reserve (journal-reserve.ts) has zeros after them, unless it was
 * closed in good order.
 */
export function writtenBytes(file: number, length: number): number {
  const read = (from: number, to: number) => {
    const buffer = Buffer.alloc(to - from)
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from))
  }
  if (lastByteIn(read(Math.max(0, length - paddingBytes), length)) >= 0) return length
  for (let to = length; to > 0; to -= Math.min(to, blockBytes)) {
    const from = Math.max(0, to - blockBytes)
    const last = lastByteIn(read(from, to))
    if (last < 0) continue
    const recordFrom = Math.max(0, from + last + 1 - maxRecordSize)
    return Math.min(length, recordFrom + lastRecordEnd(read(recordFrom, from + last + 1)))
  }
  return 0
}

function sizeOf(path: string, length: number): number {
  const file = openSync(path, 'r')
  try {
    return writtenBytes(file, length)
  } finally {
    closeSync(file)
  }
}

const lastByteIn = (bytes: Buffer): number => bytes.findLastIndex((byte) => byte !== 0)

/** Removes the bytes of a failed write, so that none of its clicks is counted later. Truncating needs no disk space. */
export function undoWrite(file: number, size: number): void {
  try {
    ftruncateSync(file, size)
  } catch {
    // The disk is gone, so the failed write no longer matters.
  }
}

/** Makes a new file's name as durable as its content. */
export function syncFolder(folder: string): void {
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
