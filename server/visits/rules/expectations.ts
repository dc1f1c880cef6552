import { decideSimulatedVisit } from '#domain/visits/simulate-visit.ts'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import type { Database, Transaction } from '../../postgres/database.ts'
import { ifDefined } from '../../primitives/if-defined.ts'
import { createSlices } from '../../primitives/slices.ts'
import { decidedLink } from '../decide.ts'
import {
  entriesInTransaction,
  type LoadedSite,
  loadNameEntries,
} from '../names/load-name-entries.ts'
import type { NameEntry } from '../names/name-entry.ts'
import { ruleSoftwareOf } from './rule-software.ts'

/** An expectation of a link that a write leaves unmet. */
interface UnmetExpectation {
  id: string
  linkId: string
  code: string
  name: string
  visit: SimulatedVisit
  expectedUrl: string
}

/** A link that a write changed, and its expectations. */
interface ChangedLink {
  id: string
  code: string
  expectations: number
  /** Approximate size of its rules. */
  ruleBytes: number
}

interface Row extends Record<string, unknown> {
  id: string
  link_id: string
  code: string
  /** The code behind the host of its domain. */
  shown: string
  is_off: boolean
  name: string
  visit: SimulatedVisit
  expected_url: string
}

const expectationsOf = (condition: string) => `
  select e.id, e.link_id, s.short_code as code, app.shown_name(s.short_code) as shown, s.is_disabled as is_off, e.name, e.visit, e.expected_url
  from app.link_expectations e join app.shortened_urls s on s.id = e.link_id
  where ${condition} order by e.created_at, e.id`

const changedLinks = `
  select s.id, s.short_code as code, count(*)::integer as expectations,
    coalesce((select pg_column_size(r.rules) from app.link_rules r where r.link_id = s.id), 0) as rule_bytes
  from app.link_expectations e join app.shortened_urls s on s.id = e.link_id
  where s.id = any ($1) group by s.id order by array_position($1, s.id)`

/** Read at once. */
const maxBatch = { expectations: 100, ruleBytes: 200_000 }

/** Checks expectations of links: saved simulations with the address that each must reach (docs/links.md). */
export function createExpectations({
  config,
  database,
}: {
  config: LoadedSite
  database: Database
}) {
  const visitor = { role: 'hoplet_visits', readOnly: true, statementTimeout: 4_000 } as const
  return {
    /** The links with expectations that a transaction has changed so far (database/code/22_rules.sql). */
    async changedLinks(db: Transaction, role: string): Promise<ChangedLink[]> {
      const { rows } = await db.query<{ links: string | null }>(
        `select current_setting('hoplet.changed_links', true) as links`,
      )
      const ids = (rows[0]?.links ?? '').split(',').filter((id) => id !== '')
      if (ids.length === 0) return []
      const found = await asVisitor(db, role, () =>
        db.query<Omit<ChangedLink, 'ruleBytes'> & { rule_bytes: number }>(changedLinks, [ids]),
      )
      return found.rows.map(({ rule_bytes: ruleBytes, ...link }) => ({ ...link, ruleBytes }))
    },

    /** The expectations of these links that are not met with the changes of the transaction. */
    async findUnmet(
      db: Transaction,
      role: string,
      links: readonly ChangedLink[],
    ): Promise<UnmetExpectation[]> {
      const pause = createSlices()
      const unmet: UnmetExpectation[] = []
      for (const batch of batchesOf(links)) {
        const ids = batch.map(({ id }) => id)
        const codes = batch.map(({ code }) => code)
        const { rows, entries } = await asVisitor(db, role, async () => ({
          rows: (await db.query<Row>(expectationsOf('e.link_id = any ($1)'), [ids])).rows,
          entries: await entriesInTransaction(db, codes, config),
        }))
        unmet.push(...(await unmetOf(rows, entries, pause)))
      }
      return unmet
    },

    /**
     * Those that a write broke: they were met before it, or are new. Call it without a transaction, after the write was rolled
     * back: it compares with the committed state.
     */
    async brokenAmong(unmet: readonly UnmetExpectation[]): Promise<UnmetExpectation[]> {
      const pause = createSlices()
      const ids = unmet.map(({ id }) => id)
      const stored = await database.transactionAs(visitor, async (db) => {
        const { rows } = await db.query<Row>(expectationsOf('e.id = any ($1)'), [ids])
        return new Map(rows.map((row) => [row.id, row]))
      })
      const unmetBefore = new Set<string>()
      const rowsBefore = [...stored.values()]
      for (const code of new Set(rowsBefore.map((row) => row.code))) {
        const rows = rowsBefore.filter((row) => row.code === code)
        const { entries } = await loadNameEntries(database, [code], config)
        for (const { id } of await unmetOf(rows, entries, pause)) unmetBefore.add(id)
      }
      return unmet.filter((each) => {
        const before = stored.get(each.id)
        return !before || !isSame(each, before) || !unmetBefore.has(each.id)
      })
    },
  }
}

/** Runs queries of a transaction as the role that sees all links, like a visitor; the rest of it runs as `role` again. */
async function asVisitor<T>(db: Transaction, role: string, work: () => Promise<T>): Promise<T> {
  const become = `select set_config('role', $1, true)`
  await db.query(become, ['hoplet_visits'])
  const result = await work()
  await db.query(become, [role])
  return result
}

function batchesOf(links: readonly ChangedLink[]): ChangedLink[][] {
  const batches: ChangedLink[][] = []
  let room = { expectations: 0, ruleBytes: 0 }
  for (const link of links) {
    const isFull = room.expectations < link.expectations || room.ruleBytes < link.ruleBytes
    if (isFull) room = { ...maxBatch }
    if (isFull) batches.push([])
    room.expectations -= link.expectations
    room.ruleBytes -= link.ruleBytes
    batches.at(-1)?.push(link)
  }
  return batches
}

async function unmetOf(
  rows: readonly Row[],
  entries: ReadonlyMap<string, NameEntry>,
  pause: () => Promise<void>,
): Promise<UnmetExpectation[]> {
  const now = Date.now()
  const unmet: UnmetExpectation[] = []
  for (const row of rows) {
    const { id, link_id: linkId, shown: code, name, visit, expected_url: expectedUrl } = row
    if (!reaches(row, entries.get(row.code), now))
      unmet.push({ id, linkId, code, name, visit, expectedUrl })
    await pause()
  }
  return unmet
}

function reaches(
  { visit, expected_url: expected, is_off: isOff }: Row,
  link: NameEntry | undefined,
  now: number,
): boolean {
  // Otherwise an admin has blocked it, which its owner cannot change.
  if (link?.kind !== 'link') return !isOff
  const named = ifDefined(visit.user_agent, ruleSoftwareOf)
  const clicks = link.options?.clicks ?? 0
  const outcome = decideSimulatedVisit(decidedLink(link), visit, { now, clicks, named })
  return 'to' in outcome && outcome.to === expected
}

/** An expectation with another visit or another address is a new one. */
function isSame(now: UnmetExpectation, before: Row): boolean {
  return (
    now.expectedUrl === before.expected_url &&
    JSON.stringify(now.visit) === JSON.stringify(before.visit)
  )
}
