import { csvLines } from '#domain/csv.ts'
import type { LeadRow } from '#web/api/database.ts'
import { site } from '#web/site.ts'
import { saveBlob, saveCsv } from '#web/ui/save-blob.ts'
import { allLeads, type LeadFilter } from './leads-query.ts'

const head = [
  'email',
  'state',
  'popup',
  'link',
  'source',
  'tags',
  'consent_text',
  'unsubscribe_url',
  'created_at',
  'confirmed_at',
]

/** Saves a choice of leads as CSV. */
export async function saveLeadsAsCsv(
  userId: string,
  filter: LeadFilter,
  titles: ReadonlyMap<string, string>,
): Promise<void> {
  const parts = [csvLines([head])]
  for await (const rows of allLeads(userId, filter))
    parts.push(csvLines(rows.map((row) => cellsOf(row, titles))))
  saveCsv(new Blob(parts), 'audience.csv')
}

/** Saves chosen leads as CSV. */
export function saveChosenAsCsv(
  leads: readonly LeadRow[],
  titles: ReadonlyMap<string, string>,
): void {
  const lines = csvLines([head, ...leads.map((row) => cellsOf(row, titles))])
  saveCsv(new Blob([lines]), 'audience.csv')
}

/** Saves everything that is known of these leads, for a request for information. */
export function saveLeadsAsJson(leads: readonly LeadRow[]): void {
  const text = JSON.stringify(leads, null, 2)
  saveBlob(new Blob([text], { type: 'application/json' }), 'audience.json')
}

function cellsOf(row: LeadRow, titles: ReadonlyMap<string, string>) {
  return [
    row.email,
    row.state,
    titles.get(row.popup_id ?? '') ?? '',
    row.code ?? '',
    row.source ?? '',
    row.tags.join(', '),
    row.consent_text,
    `${site.publicUrl}/audience/leave/${row.unsubscribe_token}`,
    row.created_at,
    row.confirmed_at,
  ]
}
