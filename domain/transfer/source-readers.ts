import { columnKey, type RecordReader } from './imported.ts'
import { archiveReader } from './readers/archive.ts'
import { bitlyReader } from './readers/bitly.ts'
import { dubReader } from './readers/dub.ts'
import { kuttReader } from './readers/kutt.ts'
import { linkStackReader } from './readers/link-stack.ts'
import { linktreeReader } from './readers/linktree.ts'
import { ownColumnsReader } from './readers/own-columns.ts'
import { rebrandlyReader } from './readers/rebrandly.ts'
import { shlinkReader } from './readers/shlink.ts'
import { shortIoReader } from './readers/short-io.ts'
import { sinkReader } from './readers/sink.ts'
import { tinyCcReader } from './readers/tiny-cc.ts'
import { yourlsReader } from './readers/yourls.ts'
import { type ImportSourceId, importSourceIds } from './sources.ts'

export const sourceReaders: Readonly<Record<ImportSourceId, RecordReader>> = {
  bitly: bitlyReader,
  dub: dubReader,
  kutt: kuttReader,
  shlink: shlinkReader,
  yourls: yourlsReader,
  rebrandly: rebrandlyReader,
  'short-io': shortIoReader,
  sink: sinkReader,
  'tiny-cc': tinyCcReader,
  linkstack: linkStackReader,
  linktree: linktreeReader,
  hoplet: ownColumnsReader,
  archive: archiveReader,
}

/** The source of a CSV by its columns: the one with the longest list of columns that the file has. */
export function recognizeColumns(columns: readonly string[]): ImportSourceId | undefined {
  const keys = new Set(columns.map(columnKey))
  let found: { id: ImportSourceId; length: number } | undefined
  for (const id of importSourceIds) {
    for (const list of sourceReaders[id].headers ?? []) {
      const hasAll = list.every((name) => keys.has(columnKey(name)))
      if (hasAll && list.length > (found?.length ?? 0)) found = { id, length: list.length }
    }
  }
  return found?.id
}

/** The source of a parsed JSON file. */
export function recognizeJson(json: unknown): ImportSourceId | undefined {
  return importSourceIds.find((id) => sourceReaders[id].recordsOf?.(json) !== undefined)
}
