import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'

/**
 * `clock`: it was set, by so many seconds. `replay`: a part of a journal turned out to have been applied before. `sources`: the new
 * sources that an account may have in a day were used up.
 */
export type Incident =
  | { kind: 'clock'; seconds: number }
  | { kind: 'replay' }
  | { kind: 'sources'; account: number }

/** Records an incident of the counting for the integrity card. @throws {DatabaseUnavailableError} */
export async function recordIncident(database: Database, incident: Incident): Promise<void> {
  const { kind, seconds = 0, account } = { seconds: undefined, account: undefined, ...incident }
  await queryAs(
    database,
    { role: 'hoplet_visits' },
    'insert into app.click_incidents (kind, seconds, account) values ($1, $2, $3)',
    [kind, seconds, account],
  )
}
