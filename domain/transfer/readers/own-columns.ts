import { withoutFormulaGuard } from '#domain/csv.ts'
import type { RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ImportDraft } from '#domain/transfer/import-draft.ts'
import { RecordFields } from '#domain/transfer/record-fields.ts'
import { listIn } from './list-in.ts'

/** Rules of a row that are looked at; a link has fewer. */
const maxRules = 200

/** Characters of the names of forwarded parameters, as in domain/links/link-fields.ts. */
const maxQuery = 5_100

/** Our own columns: those of `create_links`, and the CSV of the list of links (web/features/links/list/export-links.ts). */
export const ownColumnsReader: RecordReader = {
  name: 'Hoplet',
  headers: [
    ['short_code', 'original_url'],
    ['short_link', 'destination', 'active'],
    ['original_url'],
    ['short_link', 'destination'],
  ],
  recordsOf: (json) => listIn(json, ['links', 'rows', '_links'], ['original_url']),
  convert(record: SourceRecord) {
    const fields = new RecordFields(unguarded(record))
    const link = new ImportDraft(fields.address('original_url', 'destination'))
    link.shortAddress(fields.address('former_url', 'short_link'))
    link.code(fields.address('short_code'))
    link.host(fields.address('domain'))
    link.sourceId(fields.text('id'))
    link.externalId(fields.text('external_id'))
    link.text('title', fields.text('title'))
    link.text('note', fields.lines('note'))
    const tags = fields.list('tags')
    link.tags(tags.length > 0 ? tags : fields.text('tags'))
    link.created(fields.value('created_at'))
    readClicks(fields, link)
    const archived = fields.value('archived_at', 'archived')
    link.archive(fields.flag('archived_at', 'archived'), archived)
    if (fields.flag('is_disabled') || fields.said('active') === false) link.disable()
    if (fields.flag('is_blocked')) link.disable('block by an administrator')
    if (fields.value('password') !== undefined || fields.flag('has_password'))
      link.disable('password')
    readOptions(fields, link)
    readRules(fields, link)
    return link.finish()
  },
}

function unguarded(record: SourceRecord): SourceRecord {
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    typeof value === 'string' ? withoutFormulaGuard(value) : value,
  ])
  return Object.fromEntries(entries) as SourceRecord
}

function readClicks(fields: RecordFields, link: ImportDraft): void {
  const counted = fields.count('click_count', 'clicks')
  const before = fields.count('clicks_before')
  if (counted !== undefined || before !== undefined) link.clicks((counted ?? 0) + (before ?? 0))
  // A file without counts is a list of new links.
  link.maxClicks(fields.value('max_clicks'), fields.count('max_clicks'), counted ?? 0)
}

function readOptions(fields: RecordFields, link: ImportDraft): void {
  link.starts(fields.value('starts_at'))
  link.ends(fields.value('ends_at'))
  link.fallback(fields.address('fallback_url'))
  link.text('preview_title', fields.text('preview_title'))
  link.text('preview_description', fields.text('preview_description'))
  link.previewImage(fields.address('preview_image_url'))
  const query = fields.address('forward_query')
  if (query !== undefined && query.length <= maxQuery) link.set('forward_query', query)
  else if (query !== undefined) link.lose('forwarded parameters')
  if (fields.flag('forward_overrides')) link.set('forward_overrides', true)
  if (fields.said('show_preview_page') === false) link.set('show_preview_page', false)
  const status = fields.count('redirect_status')
  if (status === 301 || status === 302 || status === 307 || status === 308)
    link.set('redirect_status', status)
  if (fields.flag('popup_id', 'show_popup')) link.lose('popup')
}

/** A list, or its JSON text in a CSV. */
function readRules(fields: RecordFields, link: ImportDraft): void {
  const written = fields.value('rules')
  if (written === undefined) return
  const rules = typeof written === 'string' ? parsed(written) : written
  if (Array.isArray(rules)) link.rules(...rules.slice(0, maxRules))
  if (!Array.isArray(rules) || rules.length > maxRules) link.lose('rules')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
