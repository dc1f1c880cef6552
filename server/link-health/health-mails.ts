import { enqueueMail } from '../mail/outbox.ts'
import type { Database } from '../postgres/database.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'

const intervalMs = 5 * 60_000
const caller = { role: 'hoplet_worker', statementTimeout: 60_000 } as const

interface HealthMailsDeps {
  database: Database
  jobs: Jobs
}

interface DueMail extends Record<string, unknown> {
  user_id: string
  email: string
  monday: string
  dead: number
  moved: number
  certificate: number
}

/** Queues the weekly emails about destinations, to those who asked for them. */
export function startHealthMails({ database, jobs }: HealthMailsDeps): PeriodicJob {
  return jobs.add('emails about destinations', { everyMs: intervalMs }, async () => {
    let after: string | undefined = '00000000-0000-0000-0000-000000000000'
    while (after !== undefined) after = await queueMails(database, after)
  })
}

/** @returns the last account of the batch; undefined when there is none */
function queueMails(database: Database, after: string): Promise<string | undefined> {
  return database.transactionAs(caller, async (db) => {
    const { rows } = await db.query<DueMail>(
      'select *, monday::text from app.due_health_mails($1)',
      [after],
    )
    for (const { user_id: userId, email, monday, dead, moved, certificate } of rows)
      if (dead + moved + certificate > 0)
        await enqueueMail(db, {
          key: `health:${userId}:${monday}`,
          template: 'link-health',
          recipient: email,
          data: { dead, moved, certificate },
        })
    return rows.at(-1)?.user_id
  })
}
