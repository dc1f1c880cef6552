import { recognizeColumns, recognizeJson } from '#domain/transfer/source-readers.ts'
import { recordsOfPage } from '#domain/transfer/readers/linktree.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { readCsv } from './read-csv.ts'
import { readJsonRecords } from './read-json.ts'
import { isPersonalColumn } from './import-rows.ts'
import { type ReceivedFile, fileText } from './receive-file.ts'
import { TransferError } from './transfer-error.ts'

/** A file as an import keeps it: rows of cells with their column names, or objects. */
export interface FileContent {
  /** Empty while nobody knows the kind of the file. */
  source: string
  headers?: string[]
  records: AsyncIterable<unknown> | Iterable<unknown>
}

const noEntries = () => new TransferError('This page has no links that can be read')
const maxPageBytes = 5 * 1024 * 1024

/** Reads a CSV, JSON or HTML file by its first character. @throws {TransferError} */
export async function readFile(file: ReceivedFile): Promise<FileContent> {
  const pieces = fileText(file.path)
  const start = await skipBlanks(pieces)
  const text = joined(start, pieces)
  if (start === '') throw new TransferError('The file is empty')
  if (start.startsWith('<')) {
    if (file.bytes > maxPageBytes) throw new TransferError('A page can have at most 5 MB')
    let page = ''
    for await (const piece of text) page += piece
    const records = orThrow(recordsOfPage(page), noEntries)
    return { source: 'linktree', records }
  }
  if (start.startsWith('[') || start.startsWith('{'))
    return readObjects(text, start.startsWith('['))
  const { headers, rows } = await readCsv(text)
  const hidden = new Set(headers.flatMap((name, at) => (isPersonalColumn(name) ? [at] : [])))
  const records = hidden.size === 0 ? rows : withoutColumns(rows, hidden)
  return { source: recognizeColumns(headers) ?? '', headers, records }
}

async function* withoutColumns(rows: AsyncIterable<string[]>, hidden: ReadonlySet<number>) {
  for await (const cells of rows) yield cells.map((cell, at) => (hidden.has(at) ? '' : cell))
}

async function readObjects(text: AsyncIterable<string>, isList: boolean): Promise<FileContent> {
  const records = readJsonRecords(text, isList)
  const first = await records.next()
  if (first.done === true) throw new TransferError('The file has no rows')
  const source = recognizeJson(isList ? [first.value] : { links: [first.value] })
  if (source === undefined)
    throw new TransferError(
      'This JSON has no links that can be read. docs/moving-in.md lists the formats.',
    )
  return { source, records: joined(first.value, records) }
}

async function* joined<Value>(first: Value, rest: AsyncIterable<Value>): AsyncGenerator<Value> {
  yield first
  yield* rest
}

async function skipBlanks(pieces: AsyncGenerator<string>): Promise<string> {
  for (;;) {
    const next = await pieces.next()
    if (next.done === true) return ''
    const start = next.value.replace(/^[\s\uFEFF]+/u, '')
    if (start !== '') return start
  }
}
