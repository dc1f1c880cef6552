import { toCsv } from '#domain/csv.ts'
import { codeOfLink } from '#domain/links/link-address.ts'
import type { LinkRow } from '#web/api/database.ts'
import { shortLinkUrl } from '#web/site.ts'
import { saveCsv } from '#web/ui/save-blob.ts'

const columns = ['short_link', 'destination', 'title', 'tags', 'clicks', 'active', 'created_at']

/** Saves links as a CSV file. Clicks are empty on a plan that does not show them. */
export function exportLinks(links: readonly LinkRow[]): void {
  const rows = links.map((link) => [
    shortLinkUrl(codeOfLink(link)),
    link.original_url,
    link.title,
    link.tags.join(', '),
    link.click_count,
    link.is_disabled ? 'no' : 'yes',
    link.created_at,
  ])
  saveCsv(toCsv(columns, rows), 'links.csv')
}
