import type { ClickTrend } from '#domain/reports/report-answers.ts'
import { shownClicks, addUp } from './click-report.ts'
import type { ReportReader } from './hit-reader.ts'
import type { Span } from './question.ts'

/** Question of `api.click_trends` (database/code/14_reports.sql). `days`: the last 60, today the last. */
export interface TrendsQuestion extends Span {
  kind: string
  account: number
  zone: string
  days: readonly string[]
  targets: readonly { id: string; scope: number }[]
}

const shownDays = 30

/** Trends of targets with clicks in the last 60 days; a popup is clicked by its button, or by giving an email. */
export async function clickTrends(
  question: TrendsQuestion,
  reader: ReportReader,
): Promise<ClickTrend[]> {
  const { days, targets } = question
  if (targets.length === 0) return []
  const clicks = await clicksByDay(question, reader)
  return targets.flatMap(({ id, scope }) => {
    const ofTarget = clicks.get(scope)
    if (!ofTarget) return []
    const counts = days.map((day) => ofTarget.get(day) ?? 0)
    return [{ id, days: counts.slice(-shownDays), before: addUp(counts.slice(0, -shownDays)) }]
  })
}

/** By target and day. */
async function clicksByDay(
  { kind, targets, ...question }: TrendsQuestion,
  reader: ReportReader,
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const scopes = targets.map(({ scope }) => scope)
  const rows =
    kind === 'popup'
      ? (await reader.popupDays({ ...question, popups: scopes }))
          .filter(({ action, surface }) => surface !== null && /^(clicked|emailed)$/.test(action))
          .map((row) => ({ ...row, target: row.popup }))
      : await reader.targetDays({ ...question, targets: scopes })
  const clicks = new Map<number, Map<string, number>>()
  for (const { target, day, ...counts } of rows) {
    const ofTarget = clicks.get(target) ?? new Map<string, number>()
    clicks.set(target, ofTarget)
    ofTarget.set(day, (ofTarget.get(day) ?? 0) + shownClicks(counts, ['repeats', 'own']))
  }
  return clicks
}
