import type { Imported, RecordReader, SourceRecord } from '#domain/transfer/imported.ts'
import { ownColumnsReader } from './own-columns.ts'

const labelOf: Record<string, (record: SourceRecord) => unknown> = {
  tag: ({ name }) => name,
  utm_template: ({ name }) => name,
  qr_look: ({ name }) => name,
  day_note: ({ day }) => day,
  popup: ({ name, title }) => name ?? title,
  bio_page: ({ slug }) => slug,
  lead: ({ email }) => email,
}

/** Records of an archive of Hoplet (docs/archive.md). `archived` is the kind of each. */
export const archiveReader: RecordReader = {
  name: 'Hoplet archive',
  convert(record) {
    const { archived, ...row } = record
    if (archived === 'archived_link') return linkOf(row)
    if (archived === 'hits') return hitsOf(row)
    const name = typeof archived === 'string' ? labelOf[archived] : undefined
    const named = name?.(row)
    const label = typeof named === 'string' ? named : 'A row'
    if (typeof archived !== 'string' || name === undefined)
      return { kind: 'refused', refusal: 'This server does not know such rows.', label }
    return {
      kind: 'item',
      label: `${archived.replaceAll('_', ' ')}: ${label}`,
      item: { ...row, kind: archived },
    }
  },
}

/** The row of all hits of an archive, which wait beside the rows (server/transfer/import-hits.ts). */
function hitsOf({ hits, notes }: SourceRecord): Imported {
  const count = typeof hits === 'number' ? hits : 0
  const said = Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : []
  const label = `clicks.csv: ${count.toLocaleString('en')} ${count === 1 ? 'hit' : 'hits'}`
  return { kind: 'item', label, item: { kind: 'hits', hits: count }, notes: said }
}

const storedImage = /^\/media\/[0-9a-f]{64}\.webp$/

/** A link with its extras. Its clicks there are clicks before, whether their hits come along or not. */
function linkOf(record: SourceRecord): Imported {
  const { preview_image_url: picture } = record
  // It was stored here before the record is read (server/transfer/read-archive.ts).
  const isStored = typeof picture === 'string' && storedImage.test(picture)
  const imported = ownColumnsReader.convert({
    ...record,
    id: undefined,
    ...(isStored && { preview_image_url: undefined }),
  })
  if (imported.kind !== 'link') return imported
  const columns = { ...imported.columns, ...(isStored && { preview_image_url: picture }) }
  const { history, aliases, placements, expectations, popup_id: popup, show_popup: shown } = record
  const extras = {
    ...(isFull(history) && { history }),
    ...(isFull(aliases) && { aliases }),
    ...(isFull(placements) && { placements }),
    ...(isFull(expectations) && { expectations }),
    ...(typeof popup === 'string' && { popup_id: popup, show_popup: shown === true }),
  }
  return { ...imported, columns, ...(Object.keys(extras).length > 0 && { extras }) }
}

function isFull(list: unknown): list is unknown[] {
  return Array.isArray(list) && list.length > 0
}
