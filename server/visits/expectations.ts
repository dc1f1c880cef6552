import { decideSimulatedVisit } from '#domain/visits/simulate-visit.ts'
import type { SimulatedVisit } from '#domain/visits/simulated-visit.ts'
import type { Transaction } from '../postgres/database.ts'
import { entriesInTransaction, type LoadedSite } from './load-name-entries.ts'
import { decidedLink } from './decide.ts'
import type { NameEntry } from './name-entry.ts'
import { ruleSoftwareOf } from './rule-software.ts'
import { ifDefined } from '../primitives/if-defined.ts'

interface Expectation extends Record<string, unknown> {
  link_id: string
  short_code: string
  is_off: boolean
  name: string
  visit: SimulatedVisit
  expected_url: string
}

/**
 * Checks the expectations of all links that a transaction has changed so far (database/code/24_expectations.sql), before it
 * commits. The rest of the transaction runs as `role` again.
 *
 * @returns the name of a broken one
 */
export function createExpectations({ config }: { config: LoadedSite }) {
  return async (db: Transaction, role: string): Promise<string | undefined> => {
    const { rows: noted } = await db.query<{ links: string | null }>(
      `select current_setting('hoplet.changed_links', true) as links`,
    )
    const changed = (noted[0]?.links ?? '').split(',').filter((id) => id !== '')
    if (changed.length === 0) return undefined
    const become = `select set_config('role', $1, true)`
    await db.query(become, ['hoplet_visits'])
    const { rows } = await db.query<Expectation>(
      `select e.link_id, s.short_code, s.is_disabled as is_off, e.name, e.visit, e.expected_url
        from app.link_expectations e join app.shortened_urls s on s.id = e.link_id
        where e.link_id = any ($1) order by e.created_at, e.id`,
      [changed],
    )
    const codes = [...new Set(rows.map((row) => row.short_code))]
    const entries = await entriesInTransaction(db, codes, config)
    await db.query(become, [role])
    const now = Date.now()
    return rows.find(
      (expectation) => !reaches(expectation, entries.get(expectation.short_code), now),
    )?.name
  }
}

function reaches(
  { visit, expected_url: expected, is_off: isOff }: Expectation,
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
