import type { PublicSite } from '../http/security-headers.ts'
import { ownHostsOf } from '#domain/destinations.ts'
import type { Database, Transaction } from '../postgres/database.ts'
import { redirectTo } from './responses.ts'
import {
  hasOptions,
  optionColumns,
  type OptionsRow,
  optionsOf,
  redirectsPlainly,
} from './entry-options.ts'
import { bioColumns, type BioRow, bioViewOf } from './bio-view.ts'
import { mayFollow } from './shown-urls.ts'
import { missing, type NameEntry, uuidBytes } from './name-entry.ts'
import { popupColumns, shownPopupOf, type VisitPopupRow } from './popup-view.ts'

interface Row extends Record<string, unknown> {
  name: string
  reserved: boolean
  blocked: boolean
  link_id: string | null
  original_url: string | null
  title: string | null
  bio: BioRow | null
  popup: VisitPopupRow | null
  options: OptionsRow | null
}

export interface LoadedSite extends PublicSite {
  visits: { allowPermanentRedirects: boolean }
}

// A reserved word has no entry, even if an old link still has that name.
const linkColumns = `w.name, coalesce(n.kind = 'reserved', false) as reserved, s.id as link_id, s.original_url, s.title`
const namedLinks = `unnest($1::text[]) as w (name)
    left join app.names n on n.name = w.name
    left join app.shortened_urls s on s.short_code = coalesce(n.alias_of, w.name)`

/** Most names are links without a popup and options: they take half of the time without the columns and joins of the rest. */
const readPlainly = `
  select ${linkColumns}, coalesce(s.is_disabled, false)
      or app.block_of(coalesce(n.alias_of, w.name), s.user_id, s.original_url) is not null as blocked,
    case when s.id is null then n.name is not null
      else s.show_popup and s.popup_id is not null or ${hasOptions} end as has_more,
    null as bio, null as popup, null as options
  from ${namedLinks}`

// One index look-up per table. A popup with a button to a blocked host is not shown.
const read = `
  select ${linkColumns},
    coalesce(s.is_disabled, false)
      or app.block_of(coalesce(n.alias_of, w.name), coalesce(s.user_id, b.user_id), s.original_url) is not null as blocked,
    case when b.id is not null then ${bioColumns} end as bio,
    case when p.id is not null then ${popupColumns} end as popup,
    case when s.id is not null then ${optionColumns} end as options
  from ${namedLinks}
    left join app.bio_pages b on b.slug = w.name
    left join app.popups p on p.id = coalesce(case when s.show_popup then s.popup_id end, b.popup_id)
      and app.block_of(null, null, p.cta_url) is null`

/**
 * Reads the entries of many names as `hoplet_visits`, in one query, and in a second one those that are more than plain links. A blocked name or destination is `gone`, and so is a link
 * that is switched off, and a stored destination that the current rules refuse. `known` returns the entry of an earlier query.
 * From a replica (`mayLag`) they come with the time up to which it has all changes.
 *
 * @throws {DatabaseUnavailableError} or a database error
 */
export async function loadNameEntries(
  database: Database,
  names: readonly string[],
  site: LoadedSite,
  known: (name: string) => NameEntry | undefined,
  mayLag = false,
): Promise<{ entries: Map<string, NameEntry>; asOf: number | undefined }> {
  // Visitors wait for this query: a slower database counts as one that does not respond.
  const reader = { role: 'hoplet_visits', readOnly: true, statementTimeout: 4_000 } as const
  const query = { isOneQuery: true, hasGenericPlan: true } as const
  const caller = { ...reader, ...query, ...(mayLag && ({ replica: 'lagging' } as const)) }
  const rowsOf = <Found extends Row>(text: string, asked: readonly string[]) =>
    database.transactionAs(caller, async (db) => {
      const { rows: found } = await db.query<Found>(text, [asked])
      return { rows: found, asOf: db.asOf }
    })
  const plain = await rowsOf<Row & { has_more: boolean }>(readPlainly, names)
  const others = plain.rows.filter((row) => row.has_more).map(({ name }) => name)
  const full = others.length > 0 ? await rowsOf(read, others) : undefined
  const rows = full ? [...plain.rows.filter((row) => !row.has_more), ...full.rows] : plain.rows
  const asOf = earlier(plain.asOf, full?.asOf)
  const ownHosts = ownHostsOf(site.publicUrl)
  const entryOf = (row: Row) => unchanged(row, known(row.name)) ?? newEntry(row, site, ownHosts)
  return { entries: new Map(rows.map((row) => [row.name, entryOf(row)])), asOf }
}

/** Undefined is a read of the primary, which has all changes. */
function earlier(one: number | undefined, other: number | undefined): number | undefined {
  return one !== undefined && other !== undefined ? Math.min(one, other) : (one ?? other)
}

/** The same with the changes of a transaction, which is `hoplet_visits` meanwhile. */
export async function entriesInTransaction(
  db: Transaction,
  names: readonly string[],
  site: LoadedSite,
): Promise<Map<string, NameEntry>> {
  const { rows } = await db.query<Row>(read, [names])
  const ownHosts = ownHostsOf(site.publicUrl)
  return new Map(rows.map((row) => [row.name, newEntry(row, site, ownHosts)]))
}

/**
 * Most entries have not changed when they are read again. Reusing them saves the check, which takes 20 µs: for a batch of
 * 500 names, longer than visitors should wait.
 */
function unchanged(row: Row, entry: NameEntry | undefined): NameEntry | undefined {
  const isSame =
    entry?.kind === 'link' &&
    !row.reserved &&
    !row.blocked &&
    entry.id === row.link_id &&
    entry.destination === row.original_url &&
    entry.title === (row.title ?? undefined) &&
    row.popup === null &&
    entry.popup === undefined &&
    row.options === null &&
    entry.options === undefined
  return isSame ? entry : undefined
}

function newEntry(row: Row, site: LoadedSite, ownHosts: readonly string[]): NameEntry {
  if (row.reserved) return missing
  const { name } = row
  if (row.blocked) return { kind: 'gone', name }
  const popup = row.popup === null ? undefined : shownPopupOf(row.popup)
  if (row.link_id !== null && row.original_url !== null) {
    const destination = row.original_url
    if (!mayFollow(destination, ownHosts)) return { kind: 'gone', name }
    const id = row.link_id
    const redirect = redirectTo(destination, site)
    const { allowPermanentRedirects } = site.visits
    const options = row.options
      ? optionsOf(row.options, { ownHosts, allowPermanentRedirects })
      : undefined
    const isPlain =
      popup?.view === undefined && (options === undefined || redirectsPlainly(options))
    const title = row.title ?? undefined
    const target = { kind: 'link', id, idBytes: uuidBytes(id), name } as const
    return { ...target, destination, redirect, popup, title, options, isPlain }
  }
  if (row.bio !== null) {
    const { id } = row.bio
    const shown = bioViewOf(row.bio, name, site)
    return { kind: 'bio', id, idBytes: uuidBytes(id), name, popup, ...shown }
  }
  return missing
}
