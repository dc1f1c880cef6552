import type { CsvCell } from '#domain/csv.ts'
import type { ListDimension } from '#domain/reports/hits.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { valueName } from './dimension-words.ts'

/** Rows for a file: the value, its name if different, clicks, and the share of all clicks. */
export function listTable(
  dimension: ListDimension,
  { rows, clicks: whole, rest }: Pick<ClickReport, 'rows' | 'clicks' | 'rest'>,
): { head: string[]; rows: CsvCell[][] } {
  const lines = rows.map((row): CsvCell[] => [
    row.key,
    valueName(dimension, row),
    row.clicks,
    whole === 0 ? 0 : Number((row.clicks / whole).toFixed(4)),
  ])
  if (rest > 0) lines.push(['', 'All others', rest, Number((rest / whole).toFixed(4))])
  return { head: [dimension, 'name', 'clicks', 'share'], rows: lines }
}
