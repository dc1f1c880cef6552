import { type FileHandle, open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type pg from 'pg'
import { ifMissing } from '../primitives/error-code.ts'
import { writtenBytes } from '../visits/journal/journal-files.ts'
import type { Entry } from './tar.ts'
import { ifDefined } from '../primitives/if-defined.ts'

const partBytes = 1024 ** 2
// After the `@`, where the file begins in its source: it took over from a click stream (decision 0036).
const segmentName = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(@\d{1,15})?\.log$/
const entryName =
  /^journal\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:@\d{1,15})?\.log)\/(\d{1,12})$/

interface OpenSegment {
  /** Name of the file. */
  name: string
  /** Id of its mark; undefined for a file that is copied whole, because the stream may have a part of it. */
  id: string | undefined
  file: FileHandle
  /** Bytes at the moment of the snapshot. */
  size: number
}

/**
 * The files of the click journal, held open: the server may remove an applied file while a backup runs, and an open file can
 * still be read. Opened before the snapshot, so that none is removed in between, and once more after it, because
 * every visit that was answered before the snapshot is in a file or in a row that it shows.
 */
export async function openJournalFiles(folder: string) {
  const segments = new Map<string, OpenSegment>()
  const openNew = async () => {
    for (const path of await filesIn(folder)) {
      const name = basename(path)
      const [, id, base] = segmentName.exec(name) ?? []
      if (id === undefined || segments.has(name)) continue
      const file = await open(path, 'r').catch(ifMissing(undefined))
      if (file) segments.set(name, { name, id: base === undefined ? id : undefined, file, size: 0 })
    }
  }
  await openNew()
  return {
    /** Right after the snapshot was taken. */
    async fix(): Promise<void> {
      await openNew()
      for (const segment of segments.values()) {
        const { size } = await segment.file.stat()
        segment.size = writtenBytes(segment.file.fd, size)
      }
    },
    /** The records that the rows of the snapshot do not have, by their offset in the file. */
    async *entries(marks: ReadonlyMap<string, number>): AsyncGenerator<Entry> {
      for (const { name, id, file, size } of segments.values()) {
        for (let at = marks.get(id ?? '') ?? 0; at < size;) {
          const data = Buffer.alloc(Math.min(partBytes, size - at))
          const { bytesRead } = await file.read(data, 0, data.length, at)
          if (bytesRead === 0) break
          yield { name: `journal/${name}/${at}`, data: data.subarray(0, bytesRead) }
          at += bytesRead
        }
      }
    },
    async close(): Promise<void> {
      for (const { file } of segments.values()) await file.close()
    },
  }
}

/** How far each journal file is in the database, in the snapshot of this transaction. */
export async function readSnapshotMarks(client: pg.ClientBase): Promise<Map<string, number>> {
  const { rows } = await client.query<{ segment_id: string; applied_bytes: string }>(
    'select segment_id, applied_bytes from app.click_segments',
  )
  return new Map(rows.map(({ segment_id, applied_bytes }) => [segment_id, Number(applied_bytes)]))
}

/** @returns the file and the offset that an entry of a backup belongs to; undefined when it is none of the journal */
export function journalPlace(name: string): { file: string; offset: number } | undefined {
  const [, file, offset] = entryName.exec(name) ?? []
  return ifDefined(file, (name) => ({ file: name, offset: Number(offset) }))
}

async function filesIn(folder: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const
  const entries = await readdir(folder, options).catch(ifMissing([]))
  return entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
}
