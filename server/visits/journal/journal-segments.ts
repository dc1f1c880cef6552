import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  moveUp,
  type Segment,
  segmentsIn,
  subfoldersOf,
  syncFolder,
  type WrittenSegment,
} from './journal-files.ts'
import { readOnlyInMemory, removeOnlyInMemory, writeOnlyInMemory } from './only-in-memory.ts'

interface JournalSegmentsOptions {
  fsync: boolean
  /** Gets the number of clicks that only the memory of a process held that has ended. */
  onLost: (clicks: number) => void
}

/** Takes over the files of a journal's folder and of the workers that have ended, and keeps the list of them. */
export function openJournalSegments(folder: string, { fsync, onLost }: JournalSegmentsOptions) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const reportLost = (ofFolder: string) => {
    const clicks = readOnlyInMemory(ofFolder)
    if (clicks > 0) onLost(clicks)
  }
  const takeOver = (name: string) => {
    reportLost(join(folder, name))
    removeOnlyInMemory(join(folder, name))
    return moveUp(folder, name)
  }
  reportLost(folder)
  for (const name of subfoldersOf(folder)) takeOver(name)
  writeOnlyInMemory(folder, 0)
  const segments = segmentsIn(folder)
  let total = segments.reduce((sum, { size }) => sum + size, 0)
  const find = (id: string) => segments.find((each) => each.id === id)
  /** No longer counts a segment after another process has removed its file. */
  const forget = (id: string): void => {
    const segment = find(id)
    if (!segment) return
    segments.splice(segments.indexOf(segment), 1)
    total -= segment.size
  }

  return {
    /** Oldest first. */
    all: (): readonly Segment[] => [...segments],
    /** Bytes in all files. */
    bytes: () => total,
    add: (segment: Segment): void => void segments.push(segment),
    /** Counts bytes that were written to the end of a segment. */
    grown(segment: Segment, bytes: number): void {
      segment.size += bytes
      segment.writtenAt = Date.now()
      total += bytes
    },
    /** Deletes the file of a segment. */
    remove(segment: Segment): void {
      rmSync(segment.path, { force: true })
      forget(segment.id)
    },
    forget,
    /** Takes over the reported writes of a running worker to its journal, the subfolder `name`. */
    follow(name: string, written: readonly WrittenSegment[]): void {
      for (const { id, size, closed, writtenAt } of written) {
        let segment = find(id)
        if (!segment) {
          const path = join(folder, name, `${id}.log`)
          segment = { id, base: undefined, path, size: 0, applied: 0, closed, writtenAt }
          segments.push(segment)
        }
        total += size - segment.size
        Object.assign(segment, { size, closed, writtenAt })
      }
    },
    /** Makes the journal of a worker that has ended part of this one, with its unreported writes. */
    adopt(name: string): void {
      if (!existsSync(join(folder, name))) return
      const moved = new Set(takeOver(name))
      if (fsync) syncFolder(folder)
      for (const left of segmentsIn(folder)) {
        if (!moved.has(left.id)) continue
        const { id, path, size, writtenAt } = left
        const known = find(id)
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
  }
}
