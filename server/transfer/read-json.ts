import { JSONParser } from '@streamparser/json'
import { importBounds, TransferError } from './transfer-error.ts'

/** Where the lists of records are in the files that we know. */
const listPaths = ['$.links.*', '$.data.*', '$.rows.*', '$.shortUrls.data.*']

/**
 * Reads the records of a JSON file, a list or an object with one, as they come.
 *
 * @throws {TransferError} with the number of the row
 */
export async function* readJsonRecords(
  text: AsyncIterable<string>,
  isList: boolean,
): AsyncGenerator<Record<string, unknown>> {
  const parser = new JSONParser({ paths: isList ? ['$.*'] : listPaths, keepStack: false })
  let found: unknown[] = []
  parser.onValue = ({ value }) => found.push(value)
  let row = 0
  let pending = 0
  for await (const piece of text) {
    // A value that grows beyond the bound is never held as a whole.
    pending = found.length === 0 ? pending + piece.length : piece.length
    if (pending > importBounds.rowBytes + piece.length)
      throw new TransferError(
        `Row ${(row + 1).toLocaleString('en')} is longer than ${importBounds.rowBytes / 1_000} kB`,
      )
    try {
      parser.write(piece)
    } catch {
      throw new TransferError(
        row + found.length === 0
          ? 'The file is not valid JSON'
          : `The file is not valid JSON after row ${(row + found.length).toLocaleString('en')}`,
      )
    }
    const values = found
    found = []
    if (values.length > 0) pending = 0
    for (const value of values) {
      row++
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TransferError(`Row ${row.toLocaleString('en')} is not an object`)
      yield value as Record<string, unknown>
    }
  }
  if (!parser.isEnded) throw new TransferError('The file ends in the middle')
}
