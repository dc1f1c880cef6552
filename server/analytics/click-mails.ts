import type { Logger } from '../log.ts'
import { enqueueMail } from '../mail/outbox.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import type { Jobs, PeriodicJob } from '../primitives/jobs.ts'
import { shownClicks, addUp } from './reports/click-report.ts'
import type { HitReaders, ReportReader } from './reports/hit-reader.ts'
import type { Figure } from './reports/question.ts'
import { skipFailed } from './skip-failed.ts'

const intervalMs = 5 * 60_000
const statementTimeout = 60_000
const maxBusiest = 5
/** More than are listed: bio pages are not, and links that were deleted have no code. */
const maxNamed = 100
const caller = { role: 'hoplet_worker', statementTimeout } as const

interface ClickMailsDeps {
  database: Database
  log: Logger
  readers: Pick<HitReaders, 'with'>
  jobs: Jobs
}

/** Queues the emails about clicks that are due, to those who asked for them (database/code/29_checks_and_mails.sql). */
export function startClickMails({ jobs, ...deps }: ClickMailsDeps): PeriodicJob {
  return jobs.add('emails about clicks', { everyMs: intervalMs }, async () => {
    await queueMilestones(deps).catch(
      skipFailed(deps.log, {}, 'emails about milestones could not be queued'),
    )
    await queueWeeklySummaries(deps)
  })
}

type MailDeps = Omit<ClickMailsDeps, 'jobs'>

async function queueMilestones({ database, readers }: MailDeps): Promise<void> {
  const accounts = await queryAs<{ account: number }>(
    database,
    caller,
    `select account from app.wants_click_mails('milestones')`,
  )
  if (accounts.length === 0) return
  const recent = await readers
    .with({ timeoutMs: statementTimeout })
    .recentClicks(accounts.map(({ account }) => account))
  await database.transactionAs(caller, async (db) => {
    const { rows } = await db.query<{
      link: string
      email: string
      code: string
      milestone: number
    }>('select * from app.due_milestones($1)', [JSON.stringify(recent)])
    for (const { link, email, code, milestone } of rows)
      await enqueueMail(db, {
        key: `milestone:${link}:${milestone}`,
        template: 'click-milestone',
        recipient: email,
        data: { code, clicks: milestone },
      })
  })
}

interface DueSummary extends Record<string, unknown> {
  user_id: string
  email: string
  account: number
  zone: string
  monday: string
  /** When the last two weeks and this one began, in microseconds since 1970. */
  starts: string[]
}

async function queueWeeklySummaries(deps: MailDeps): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const due = await queryAs<DueSummary>(
      deps.database,
      caller,
      'select *, monday::text from app.due_weekly_summaries($1)',
      [after],
    )
    for (const summary of due)
      await queueSummary(summary, deps).catch(
        skipFailed(deps.log, { user: summary.user_id }, 'a weekly summary could not be queued'),
      )
    const last = due.at(-1)
    if (!last) return
    after = last.user_id
  }
}

/** None for two weeks without a click. */
async function queueSummary(
  { user_id: userId, email, account, zone, monday, starts }: DueSummary,
  { database, readers }: MailDeps,
): Promise<void> {
  const reader = readers.with({ timeoutMs: statementTimeout })
  const [beforeLast = 0, last = 0, now = 0] = starts.map(Number)
  const figuresBy = async (by: 'total' | 'target', from: number, to: number) => {
    const question = { scope: account, account, zone, from, to, by, filters: {}, exact: true }
    const { rows } = await reader.figures(question)
    return rows
  }
  const week = await figuresBy('total', last, now)
  const before = clicksOf(await figuresBy('total', beforeLast, last))
  const clicks = clicksOf(week)
  if (clicks + before === 0) return
  const busiest = await busiestLinks(await figuresBy('target', last, now), reader)
  await database.transactionAs(caller, (db) =>
    enqueueMail(db, {
      key: `weekly:${userId}:${monday}`,
      template: 'weekly-summary',
      recipient: email,
      data: { clicks, before, visitors: addUp(week.map(({ visitors }) => visitors)), busiest },
    }),
  )
}

function clicksOf(figures: readonly Figure[]): number {
  return addUp(figures.map((figure) => shownClicks(figure, ['repeats', 'own'])))
}

async function busiestLinks(
  figures: readonly Figure[],
  { nameTargets }: Pick<ReportReader, 'nameTargets'>,
): Promise<{ code: string; clicks: number }[]> {
  const busiest = figures
    .map((figure) => ({ scope: Number(figure.value), clicks: clicksOf([figure]) }))
    .filter(({ clicks }) => clicks > 0)
    .sort((a, b) => b.clicks - a.clicks)
    .slice(0, maxNamed)
  const targets = await nameTargets(busiest.map(({ scope }) => scope))
  return busiest
    .flatMap(({ scope, clicks }) => {
      const { kind, label } = targets.get(scope) ?? {}
      return kind === 'link' && label != null ? [{ code: label, clicks }] : []
    })
    .sort((a, b) => b.clicks - a.clicks || (a.code < b.code ? -1 : 1))
    .slice(0, maxBusiest)
}
