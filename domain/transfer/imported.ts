import type { ApiInserts, ApiUpdates } from '#domain/database.generated.ts'

/** A row of a file by the names of its columns (see columnKey), or an object of a JSON file or an API. */
export type SourceRecord = Readonly<Record<string, unknown>>

/** Options of an imported link, as columns of `create_links`. */
export type ImportedColumns = Partial<
  Pick<
    (ApiInserts & ApiUpdates)['shortened_urls'],
    | 'title'
    | 'note'
    | 'tags'
    | 'archived_at'
    | 'is_disabled'
    | 'starts_at'
    | 'ends_at'
    | 'max_clicks'
    | 'fallback_url'
    | 'forward_query'
    | 'forward_overrides'
    | 'redirect_status'
    | 'preview_title'
    | 'preview_description'
    | 'preview_image_url'
    | 'external_id'
    | 'show_preview_page'
  >
>

/** A link as its source describes it. Nothing in it is checked yet. */
export interface ImportedLink {
  kind: 'link'
  url: string
  /** With the case that it has there. Undefined: the link gets a random code. */
  code?: string | undefined
  /** The short address there, without a scheme: `bit.ly/abc`. */
  formerUrl?: string | undefined
  /** The host that it had there; default: that of `formerUrl`. */
  host?: string | undefined
  /** Unique within the source. */
  sourceId?: string | undefined
  /** An instant as text. */
  createdAt?: string | undefined
  /** The total of clicks there. */
  clicksBefore?: number | undefined
  columns: ImportedColumns
  /** As programs write them, before `parseRules`. */
  rules?: unknown
  /** Options that it had there and cannot have here: `password`, `deep link for iOS`. */
  losses: readonly string[]
  /** History, former codes, placements, expectations and popup of a link of an archive. */
  extras?: Readonly<Record<string, unknown>>
}

/** A row of an archive that is no link: a tag, a popup, an address of the audience. */
export interface ImportedItem {
  kind: 'item'
  label: string
  /** With its kind. */
  item: Readonly<Record<string, unknown>>
  /** Sentences for its owner. */
  notes?: readonly string[]
}

/** An entry of a bio page. */
export interface ImportedBioEntry {
  kind: 'bio'
  entry: 'link' | 'header'
  title: string
  /** Empty for a header. */
  url: string
  losses: readonly string[]
}

/** A record without a counterpart here. `refusal` is a sentence for its owner. */
export interface RefusedRecord {
  kind: 'refused'
  refusal: string
  /** Name of the row for its owner: an address or a title; may be empty. */
  label: string
}

export type Imported = ImportedLink | ImportedBioEntry | ImportedItem | RefusedRecord

/** Reads the records of one kind of file or API. Never throws. */
export interface RecordReader {
  /** On the screen: `Bitly export`. */
  name: string
  /** Column names (see columnKey) of a CSV: a file that has all of one list is of this kind. */
  headers?: readonly (readonly string[])[]
  /** The records of a parsed JSON file; undefined for a file of another kind. */
  recordsOf?: (json: unknown) => SourceRecord[] | undefined
  convert(record: SourceRecord): Imported
}

/** Characters of the label of a row. */
export const labelMaxLength = 200

/** The name of a column without case, blanks and punctuation: `Short link` and `short_link` are the same. */
export function columnKey(name: string): string {
  if (/^[a-z0-9]+$/.test(name)) return name
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * The keys of the columns of a file, each once: the name (see columnKey), or `#3` for the fourth column when it has no name or an
 * earlier column has the same.
 */
export function columnKeysOf(columns: readonly string[]): string[] {
  const seen = new Set<string>()
  return columns.map((column, i) => {
    const name = columnKey(column)
    const key = name === '' || seen.has(name) ? `#${i}` : name
    seen.add(key)
    return key
  })
}

/** A row of a file as a record. `keys` are those of its columns; cells beyond them are left out. */
export function recordOfRow(keys: readonly string[], cells: readonly string[]): SourceRecord {
  return Object.fromEntries(keys.map((key, i) => [key, cells[i] ?? '']))
}
