import { CsvError, parse } from 'csv-parse/sync'
import { hasJsonBody, readJson, readText } from '../http/body.ts'
import { problems } from './errors.ts'
import { isRow, type Row } from './table-request.ts'

const form = 'application/x-www-form-urlencoded'

/** The media type of the body, without parameters. */
function typeOf({ headers }: Request): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/**
 * The rows of a body: a JSON object or a list of them, CSV with the columns in the first line (`NULL` is null), or the fields of a form.
 *
 * @throws {ProtocolError} 415 for another type, 400 PGRST102 for an unreadable body
 */
export async function readRows(request: Request, maxRows: number): Promise<Row[]> {
  const rows =
    typeOf(request) === 'text/csv'
      ? readCsv(await readText(request), maxRows)
      : listOf(await readFields(request))
  if (rows.length > maxRows) throw problems.body(`At most ${maxRows} rows at once`)
  if (!rows.every(isRow)) throw problems.body('The body must be a JSON object or a list of objects')
  return rows
}

function listOf(body: unknown): unknown[] {
  if (body === undefined) throw problems.body('Empty or invalid json')
  return [body].flat()
}

/** The named arguments of a call: a JSON object, or the fields of a form. @throws {ProtocolError} as {@link readRows} */
export async function readArguments(request: Request, maxBytes?: number): Promise<Row> {
  const body = await readFields(request, maxBytes)
  if (body === undefined) return {}
  if (!isRow(body)) throw problems.body('Arguments are named: send a JSON object')
  return body
}

function readFields(request: Request, maxBytes?: number): Promise<unknown> {
  return typeOf(request) === form ? readForm(request) : readJsonBody(request, maxBytes)
}

async function readJsonBody(request: Request, maxBytes?: number): Promise<unknown> {
  const type = request.headers.get('content-type')
  if (type !== null && !hasJsonBody(request)) throw problems.contentType(type)
  return readJson(request, maxBytes)
}

async function readForm(request: Request): Promise<Row> {
  return Object.fromEntries(new URLSearchParams(await readText(request)))
}

function readCsv(text: string, maxRows: number): Row[] {
  let lines: string[][]
  try {
    lines = parse(text, { bom: true, skip_empty_lines: true, to: maxRows + 2 })
  } catch (error) {
    if (error instanceof CsvError) throw problems.body(`The CSV cannot be read: ${error.message}`)
    throw error
  }
  const [columns, ...rows] = lines
  if (!columns) throw problems.body('The first line of CSV names the columns')
  return rows.map((row) =>
    Object.fromEntries(
      columns.map((column, at) => [column, row[at] === 'NULL' ? null : (row[at] ?? null)]),
    ),
  )
}
