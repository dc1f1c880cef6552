import { shownClicks, addUp } from './click-report.ts'
import type { ReportReader } from './hit-reader.ts'
import type { Filters, NumberedScope, Span } from './question.ts'

/** Question of `api.click_integrity`, with its known figures (database/code/14_reports.sql). */
export interface IntegrityQuestion extends NumberedScope, Span {
  zone: string
  /** The targets of a tag, or none. */
  filters: Filters
  /** Null where it has to be counted. */
  received: number | null
  answer: object
}

/** Consistency check: hits received against the sum of their results. */
export async function clickIntegrity(
  { received, answer, ...question }: IntegrityQuestion,
  reader: ReportReader,
): Promise<object> {
  const { rows } = await reader.figures({ ...question, by: 'verdict', exact: true })
  const byVerdict = rows.flatMap(({ value, ...counts }) => {
    const n = shownClicks(counts, ['repeats', 'own', 'bots', 'imported'])
    return value === null ? [] : [[value, n] as const]
  })
  const total = addUp(byVerdict.map(([, n]) => n))
  const counted = addUp(rows.map((row) => shownClicks(row, ['repeats', 'own'])))
  return {
    received: received ?? total,
    counted,
    filtered: total - counted,
    by_verdict: Object.fromEntries(byVerdict),
    ...answer,
  }
}
