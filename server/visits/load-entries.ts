import { checkDestination, ownHostsOf } from '#domain/destinations.ts'
import type { Database } from '../postgres/database.ts'
import { redirectTo } from './answer.ts'
import { type Entry, gone, missing } from './entry.ts'

interface Row extends Record<string, unknown> {
  name: string
  reserved: boolean
  link_id: string | null
  original_url: string | null
  popup_id: string | null
  popup_active: boolean | null
  bio_id: string | null
}

// One index look-up a table. A reserved word answers nothing, even where an old link still has that name.
const query = `
  select w.name, coalesce(n.kind = 'reserved', false) as reserved,
    s.id as link_id, s.original_url, p.id as popup_id, p.is_active as popup_active, b.id as bio_id
  from unnest($1::text[]) as w (name)
    left join app.names n on n.name = w.name
    left join app.shortened_urls s on s.short_code = w.name
    left join app.popups p on s.show_popup and p.id = s.popup_id
    left join app.bio_pages b on b.slug = w.name`

/** A visitor waits for this: a database that is slower counts as one that does not answer. */
const statementTimeout = 2_000

/**
 * Reads what stands behind each name, in one query as `hoplet_visits`. A stored destination that the rules of today
 * refuse (however it came into the table) is `gone`. `known` gives what an earlier query found.
 *
 * @throws {DatabaseUnavailableError} or a database error
 */
export async function loadEntries(
  database: Database,
  names: readonly string[],
  publicUrl: string,
  known: (name: string) => Entry | undefined,
): Promise<Map<string, Entry>> {
  const { rows } = await database.transactionAs(
    { role: 'hoplet_visits', readOnly: true, statementTimeout },
    (db) => db.query<Row>(query, [names]),
  )
  const ownHosts = ownHostsOf(publicUrl)
  const entryOf = (row: Row) =>
    unchanged(row, known(row.name)) ?? newEntry(row, publicUrl, ownHosts)
  return new Map(rows.map((row) => [row.name, entryOf(row)]))
}

/** Checking a destination takes longer than all the rest; most entries that are read again are what they were. */
function unchanged(row: Row, entry: Entry | undefined): Entry | undefined {
  const isSame =
    entry?.kind === 'link' &&
    !row.reserved &&
    entry.id === row.link_id &&
    entry.destination === row.original_url &&
    row.popup_id === null &&
    entry.popup === undefined
  return isSame ? entry : undefined
}

function newEntry(row: Row, publicUrl: string, ownHosts: readonly string[]): Entry {
  if (row.reserved) return missing
  if (row.link_id !== null && row.original_url !== null) {
    const destination = row.original_url
    if (!mayFollow(destination, ownHosts)) return gone
    return {
      kind: 'link',
      id: row.link_id,
      idBytes: bytesOf(row.link_id),
      destination,
      answer: redirectTo(destination, publicUrl),
      popup:
        row.popup_id === null ? undefined : { id: row.popup_id, active: row.popup_active === true },
    }
  }
  if (row.bio_id !== null) return { kind: 'bio', id: row.bio_id, idBytes: bytesOf(row.bio_id) }
  return missing
}

/** Printable ASCII as well, because the stored text goes into a header as it is. */
function mayFollow(destination: string, ownHosts: readonly string[]): boolean {
  return /^[!-~]+$/.test(destination) && checkDestination(destination, { ownHosts }).ok
}

function bytesOf(uuid: string): Uint8Array {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}
