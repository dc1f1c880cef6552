import type { CsvCell } from '#domain/csv.ts'
import { utmFields } from '#domain/reports/hits.ts'
import { type AskedHit, hitTexts } from './asked-hits.ts'

/** Columns of a hit in a CSV. */
export const hitColumns = [...hitTexts, ...utmFields]

/** The cells of {@link hitColumns}. */
export function cellsOfHit(hit: AskedHit): CsvCell[] {
  const campaign = utmFields.map((field) => hit.utm[field.slice('utm_'.length)] ?? '')
  // The link is in the row.
  const texts = { ...hit, placement: hit.placement?.replace(/^.*\//, '') ?? null }
  return [...hitTexts.map((name) => texts[name]), ...campaign]
}
