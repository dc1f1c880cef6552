import type { Config } from '../config.ts'
import type { Database } from '../postgres/database.ts'
import { aiErrors, type AiTask } from './ai-errors.ts'
import { onlyRow } from '../postgres/rows.ts'

/**
 * Reserves one of today's calls. Each counter is compared and raised in one statement, so concurrent requests get exactly
 * the remainder. Always the person's counter first: no deadlock.
 *
 * @returns the day, for {@link refund}
 * @throws {HttpError} 429 or 503 when a limit is reached
 */
export async function reserve(
  database: Database,
  person: string,
  limits: Config['ai']['limits'],
  task: AiTask,
): Promise<string> {
  return await database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    const row = await onlyRow<{
      day: string
      person: number | null
      total: number | null
      seconds_left: number
    }>(
      db,
      `with person as (
        insert into app.ai_usage as u (user_id, day, used) select $1, app.today(), 1 where $2::int > 0
        on conflict (user_id, day) do update set used = u.used + 1 where u.used < $2 returning used
      ), total as (
        insert into app.ai_days as d (day, used) select app.today(), 1 from person where $3::int > 0
        on conflict (day) do update set used = d.used + 1 where d.used < $3 returning used
      )
      select app.today()::text as day, (select used from person) as person, (select used from total) as total,
        ceil(extract(epoch from (app.today() + 1)::timestamp - (now() at time zone 'utc')))::int as seconds_left`,
      [person, limits.perPerson, limits.total],
    )
    if (row.person === null) throw aiErrors.personLimit(limits.perPerson, row.seconds_left)
    // Rolls back the person's counter too.
    if (row.total === null) throw aiErrors.unavailable(task, row.seconds_left)
    return row.day
  })
}

/** Returns a reserved call that was not served, to the day it was taken from. */
export async function refund(database: Database, person: string, day: string): Promise<void> {
  await database.transactionAs({ role: 'hoplet_worker' }, async (db) => {
    await db.query(
      'update app.ai_usage set used = used - 1 where user_id = $1 and day = $2 and used > 0',
      [person, day],
    )
    await db.query('update app.ai_days set used = used - 1 where day = $1 and used > 0', [day])
  })
}
