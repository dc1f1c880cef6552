import type { Hosts } from '../../http/hosts.ts'
import { linksSiteOf, type PublicSite } from '../../http/public-site.ts'
import { ownHostsOf } from '#domain/links/destinations.ts'
import type { Database, Transaction } from '../../postgres/database.ts'
import { ifDefined } from '../../primitives/if-defined.ts'
import { redirectSite, redirectTo } from '../responses.ts'
import {
  hasOptions,
  optionColumns,
  type OptionsRow,
  optionsOf,
  redirectsPlainly,
} from './entry-options.ts'
import { bioColumns, type BioRow, bioViewOf } from '../visitor-pages/bio-view.ts'
import { mayFollow } from './shown-urls.ts'
import { type LinkEntry, missing, type NameEntry } from './name-entry.ts'
import { readNameKey } from './name-key.ts'
import { popupColumns, shownPopupOf, type VisitPopupRow } from '../visitor-pages/popup-view.ts'

interface LinkRow extends Record<string, unknown> {
  /** The key of the name. */
  key: string
  link_id: string | null
  original_url: string | null
  title: string | null
}

interface PlainRow extends LinkRow {
  /** Null is missing, `more` is for the other query. */
  state: 'link' | 'gone' | 'more' | null
}

interface Row extends LinkRow {
  reserved: boolean
  blocked: boolean
  bio: BioRow | null
  popup: VisitPopupRow | null
  options: OptionsRow | null
}

export interface LoadedSite extends PublicSite {
  linksUrl: string
  visits: { allowPermanentRedirects: boolean }
}

const linkColumns = 'w.name as key, s.id as link_id, s.original_url, s.title'
const namedLinks = `unnest($1::text[]) as w (name)
    left join app.names n on n.name = w.name
    left join app.shortened_urls s on s.short_code = coalesce(n.alias_of, w.name)`

/** Most names are links without a popup and options: they take half of the time without the columns and joins of the rest. */
const readPlainly = `
  select ${linkColumns}, case
      when n.kind = 'reserved' then null
      when s.id is null and n.name is not null then 'more'
      when s.show_popup and s.popup_id is not null or ${hasOptions} then 'more'
      when s.is_disabled or app.block_of(coalesce(n.alias_of, w.name), s.user_id, s.original_url) is not null then 'gone'
      when s.id is not null then 'link' end as state
  from ${namedLinks}`

// One index look-up per table. A reserved word has no entry, even if an old link still has that name.
const read = `
  select ${linkColumns}, coalesce(n.kind = 'reserved', false) as reserved,
    coalesce(s.is_disabled, false)
      or app.block_of(coalesce(n.alias_of, w.name), coalesce(s.user_id, b.user_id), s.original_url) is not null as blocked,
    case when b.id is not null then ${bioColumns} end as bio,
    case when p.id is not null then ${popupColumns} end as popup,
    case when s.id is not null then ${optionColumns} end as options
  from ${namedLinks}
    left join app.bio_pages b on b.slug = w.name
    left join app.popups p on p.id = coalesce(case when s.show_popup then s.popup_id end, b.popup_id)`

// Visitors wait for these queries: a slower database counts as one that does not respond.
const reader = {
  role: 'hoplet_visits',
  readOnly: true,
  statementTimeout: 4_000,
  isOneQuery: true,
  hasGenericPlan: true,
} as const
/** For the names of a query that took too long. */
const hurriedReader = { ...reader, statementTimeout: 250 } as const

interface ReadingMode {
  /** A replica may answer. */
  mayLag?: boolean
  /** The time limit of the query is short, and the primary answers. */
  isHurried?: boolean
  /** Where names are served: those of other domains are missing. Default: nothing is asked about domains. */
  hosts?: Pick<Hosts, 'placeOfPrefix'> | undefined
}

/** A name with the site of its domain, undefined on the own host. */
type Named = Pick<LinkEntry, 'key' | 'name' | 'site'>

function callerFor({ mayLag = false, isHurried = false }: ReadingMode) {
  if (isHurried) return hurriedReader
  return mayLag ? ({ ...reader, replica: 'lagging' } as const) : reader
}

/**
 * Reads the entries of many names as `hoplet_visits`, in one query, and in a second one those that are more than plain links. A blocked
 * name or destination is `gone`, and so is a link that is switched off, and a stored destination that the current rules refuse. From a
 * replica (`mayLag`) they come with the time up to which it has all changes.
 *
 * @throws {DatabaseUnavailableError} or a database error
 */
export async function loadNameEntries(
  database: Database,
  names: readonly string[],
  site: LoadedSite,
  mode: ReadingMode = {},
): Promise<{ entries: Map<string, NameEntry>; asOf: number | undefined }> {
  const caller = callerFor(mode)
  const rowsOf = <Found extends LinkRow>(text: string, asked: readonly string[]) =>
    database.transactionAs(caller, async (db) => {
      const { rows } = await db.query<Found>(text, [asked])
      return { rows, asOf: db.asOf }
    })
  const ownHosts = ownHostsOf(site)
  const namedBy = (key: string) => namedOf(key, mode.hosts)
  const entries = new Map<string, NameEntry>()
  const plain = await rowsOf<PlainRow>(readPlainly, names)
  const others: string[] = []
  for (const row of plain.rows) {
    if (row.state === 'more') others.push(row.key)
    else entries.set(row.key, plainEntryOf(row, namedBy(row.key), site, ownHosts))
  }
  if (others.length === 0) return { entries, asOf: plain.asOf }
  const full = await rowsOf<Row>(read, others)
  for (const row of full.rows) entries.set(row.key, entryOf(row, namedBy(row.key), site, ownHosts))
  return { entries, asOf: earlier(plain.asOf, full.asOf) }
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
  const ownHosts = ownHostsOf(site)
  return new Map(rows.map((row) => [row.key, entryOf(row, namedOf(row.key), site, ownHosts)]))
}

/** Undefined for a name on a domain that is not served. */
function namedOf(key: string, hosts?: Pick<Hosts, 'placeOfPrefix'>): Named | undefined {
  const { prefix, name } = readNameKey(key)
  if (prefix === '' || !hosts) return { key, name, site: undefined }
  const place = hosts.placeOfPrefix(prefix)
  return place && { key, name, site: place.site }
}

function plainEntryOf(
  row: PlainRow,
  named: Named | undefined,
  site: LoadedSite,
  ownHosts: readonly string[],
): NameEntry {
  if (!named) return missing
  if (row.state === 'gone') return { kind: 'gone', name: named.name, site: named.site }
  return linkEntryOf(row, named, site, ownHosts, { isPlain: true }) ?? missing
}

function entryOf(
  row: Row,
  named: Named | undefined,
  site: LoadedSite,
  ownHosts: readonly string[],
): NameEntry {
  if (row.reserved || !named) return missing
  const { name } = named
  if (row.blocked) return { kind: 'gone', name, site: named.site }
  const popup = ifDefined(row.popup, shownPopupOf)
  const { allowPermanentRedirects } = site.visits
  const options = ifDefined(row.options, (columns) =>
    optionsOf(columns, { ownHosts, allowPermanentRedirects }),
  )
  const isPlain = popup?.view === undefined && (options === undefined || redirectsPlainly(options))
  const link = linkEntryOf(row, named, site, ownHosts, { popup, options, isPlain })
  if (link || row.bio === null) return link ?? missing
  const shown = bioViewOf(row.bio, name, named.site ?? linksSiteOf(site))
  return { kind: 'bio', id: row.bio.id, name, site: named.site, popup, ...shown }
}

/** Undefined for a row without a link. */
function linkEntryOf(
  { link_id: id, original_url: destination, title }: LinkRow,
  named: Named,
  site: LoadedSite,
  ownHosts: readonly string[],
  { popup, options, isPlain }: Pick<LinkEntry, 'isPlain'> & Partial<LinkEntry>,
): NameEntry | undefined {
  if (id === null || destination === null) return undefined
  if (!mayFollow(destination, ownHosts)) return { kind: 'gone', name: named.name, site: named.site }
  return {
    kind: 'link',
    id,
    ...named,
    destination,
    redirect: redirectTo(destination, redirectSite(named.site, site)),
    popup,
    title: title ?? undefined,
    options,
    isPlain,
  }
}
