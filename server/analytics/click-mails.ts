import type { Logger } from '../log.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { Database } from '../postgres/database.ts'
import { type PeriodicJob, startPeriodicJob } from '../primitives/periodic-job.ts'

const intervalMs = 5 * 60_000
const statementTimeout = 60_000

interface Milestone extends Record<string, unknown> {
  link: string
  email: string
  code: string
  milestone: number
}

interface WeeklySummary extends Record<string, unknown> {
  user_id: string
  email: string
  monday: string
  clicks: string
  before: string
  visitors: string
  busiest: { code: string; clicks: number }[]
}

/** Queues the emails about clicks that are due, to those who asked for them (database/code/16_click_mails.sql). */
export function startClickMails({
  database,
  log,
  runsJobs = true,
}: {
  database: Database
  log: Logger
  runsJobs?: boolean | undefined
}): PeriodicJob {
  const caller = { role: 'hoplet_worker', statementTimeout, asks: true } as const
  return startPeriodicJob({
    name: 'emails about clicks',
    intervalMs,
    isScheduled: runsJobs,
    log,
    work: () =>
      database.transactionAs(caller, async (db) => {
        const milestones = await db.query<Milestone>('select * from app.due_milestones()')
        for (const { link, email, code, milestone } of milestones.rows)
          await enqueueMail(db, {
            key: `milestone:${link}:${milestone}`,
            template: 'click-milestone',
            recipient: email,
            data: { code, clicks: milestone },
          })
        const summaries = await db.query<WeeklySummary>(
          'select *, monday::text from app.due_weekly_summaries()',
        )
        for (const { user_id, email, monday, clicks, before, visitors, busiest } of summaries.rows)
          await enqueueMail(db, {
            key: `weekly:${user_id}:${monday}`,
            template: 'weekly-summary',
            recipient: email,
            data: {
              clicks: Number(clicks),
              before: Number(before),
              visitors: Number(visitors),
              busiest,
            },
          })
      }),
  })
}
