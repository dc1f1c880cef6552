import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { importBounds, TransferError } from './transfer-error.ts'

const separators = [',', ';', '\t'] as const

/** The first line, and rows as they come. */
export interface CsvContent {
  headers: string[]
  rows: AsyncIterable<string[]>
}

/**
 * Reads a CSV with a line of column names. The separator is the most frequent one of that line.
 *
 * @throws {TransferError} with the number of the row
 */
export async function readCsv(text: AsyncIterable<string>): Promise<CsvContent> {
  const { start, whole } = await peekLine(text)
  const counts = separators.map((separator) => start.split(separator).length)
  const delimiter = separators[counts.indexOf(Math.max(...counts))] ?? ','
  const parser = Readable.from(whole).pipe(
    parse({
      bom: true,
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: importBounds.rowBytes,
    }),
  )
  const rows = namedErrors(parser)
  const first = await rows.next()
  if (first.done === true) throw new TransferError('The file is empty')
  const headers = first.value.map((name) => name.trim().slice(0, 200))
  if (headers.length > importBounds.columns)
    throw new TransferError(
      `The file has ${headers.length.toLocaleString('en')} columns; at most ${importBounds.columns} are read`,
    )
  return { headers, rows }
}

async function* namedErrors(parser: AsyncIterable<string[]>): AsyncGenerator<string[]> {
  // The names of the columns are row 0.
  let row = 0
  try {
    for await (const cells of parser) {
      yield cells.map((cell) => cell.replaceAll('\0', ''))
      row++
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_MAX_RECORD_SIZE')
      throw new TransferError(
        `Row ${row.toLocaleString('en')} is longer than ${importBounds.rowBytes / 1_000} kB`,
      )
    throw new TransferError(`Row ${row.toLocaleString('en')} is not a row of a CSV`)
  }
}

/** The first line as far as it is short, and the text with it. */
async function peekLine(
  text: AsyncIterable<string>,
): Promise<{ start: string; whole: AsyncIterable<string> }> {
  const pieces = text[Symbol.asyncIterator]()
  let start = ''
  while (!start.includes('\n') && start.length < importBounds.rowBytes) {
    const next = await pieces.next()
    if (next.done === true) break
    start += next.value
  }
  async function* whole() {
    yield start
    for (;;) {
      const next = await pieces.next()
      if (next.done === true) return
      yield next.value
    }
  }
  return { start: start.split(/\r?\n/, 1)[0] ?? '', whole: whole() }
}
