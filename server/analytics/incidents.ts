import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/** `clock`: it was set, by so many seconds. `replay`: a part of a journal turned out to have been applied before. */
export type IncidentKind = 'clock' | 'replay'

/** Notes for the integrity card what happened to the counting. @throws {DatabaseUnavailableError} */
export async function recordIncident(
  database: Database,
  kind: IncidentKind,
  seconds = 0,
): Promise<void> {
  await queryAs(
    database,
    { role: 'hoplet_visits' },
    'insert into app.click_incidents (kind, seconds) values ($1, $2)',
    [kind, seconds],
  )
}
