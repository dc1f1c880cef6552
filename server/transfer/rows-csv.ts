import { csvLines, toCsv } from '#domain/csv.ts'
import type { Database } from '../postgres/database.ts'
import { streamOf } from '../primitives/text-stream.ts'
import type { RowFilter, ShownImport } from '#domain/transfer/import-shapes.ts'
import { listRows } from './show-imports.ts'

const pageSize = 1_000
const head = ['Row', 'There', 'Code', 'Destination', 'Outcome', 'Result', 'Loses', 'Notes']

/** All rows of an import as a CSV, a page at a time. */
export function sendRowsCsv(
  database: Database,
  account: string,
  { id, name }: ShownImport,
  outcome: RowFilter | undefined,
): Response {
  const fileName = `${name.replaceAll(/[^\w.-]+/g, '-').replace(/\.\w+$/, '')}-import.csv`
  return new Response(streamOf(lines()), {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${fileName}"`,
      'Cache-Control': 'no-store',
    },
  })

  async function* lines() {
    yield toCsv(head, [])
    for (let after = 0; ;) {
      const rows = await listRows(database, account, id, { outcome, after, limit: pageSize })
      yield csvLines(
        rows.map((row) => [
          row.place,
          row.label,
          row.code,
          row.url,
          row.outcome,
          row.result,
          row.losses.join(', '),
          row.notes.join(' '),
        ]),
      )
      const last = rows.at(-1)
      if (!last || rows.length < pageSize) return
      after = last.place
    }
  }
}
