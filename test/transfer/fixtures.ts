import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import {
  columnKeysOf,
  type Imported,
  recordOfRow,
  type SourceRecord,
} from '#domain/transfer/imported.ts'
import { sourceReaders } from '#domain/transfer/source-readers.ts'
import type { ImportSourceId } from '#domain/transfer/sources.ts'
import { orThrow } from '#server/primitives/or-throw.ts'

/** A file that we wrote in the shape of a source. */
export function readFixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8')
}

export function columnsOf(name: string, delimiter = ','): string[] {
  return parse(readFixture(name), { delimiter })[0] ?? []
}

export function csvRecords(text: string, delimiter = ','): SourceRecord[] {
  const [columns = [], ...rows] = parse(text, { delimiter })
  const keys = columnKeysOf(columns)
  return rows.map((cells) => recordOfRow(keys, cells))
}

export function jsonRecords(source: ImportSourceId, json: unknown): SourceRecord[] {
  return orThrow(sourceReaders[source].recordsOf?.(json), () => new Error(`no records: ${source}`))
}

export function convertAll(source: ImportSourceId, records: readonly SourceRecord[]): Imported[] {
  return records.map((record) => sourceReaders[source].convert(record))
}

/** Rows of a CSV or JSON fixture as the reader of the source has them. */
export function convertFixture(source: ImportSourceId, name: string, delimiter = ','): Imported[] {
  const text = readFixture(name)
  const records = name.endsWith('.json')
    ? jsonRecords(source, JSON.parse(text))
    : csvRecords(text, delimiter)
  return convertAll(source, records)
}
