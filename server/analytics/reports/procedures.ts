import type { Database } from '../../postgres/database.ts'
import { valueAs } from '../../postgres/rows.ts'
import { clickHits, type ClickHitsQuestion } from './click-hits.ts'
import { clickIntegrity, type IntegrityQuestion } from './click-integrity.ts'
import { clickReport, type ClickReportQuestion } from './click-report.ts'
import { clickTrends, type TrendsQuestion } from './click-trends.ts'
import type { HitReaders, ReportReader } from './hit-reader.ts'
import { splitReport, type SplitReportQuestion } from './split-report.ts'
import { popupReport, type PopupReportQuestion } from './popup-report.ts'

interface ProceduresDeps {
  database: Database
  readers: HitReaders
}

/** More than admin_latest_links shows, because some may be bio pages or deleted. */
const maxBusiest = 60

/**
 * Procedures of the schema `api` that the server answers. The function of the same name has checked its caller's rights, and
 * returned the question.
 */
export function reportProcedures({ database, readers }: ProceduresDeps) {
  type Options = { timeoutMs: number; timeZone?: string | undefined }
  const report =
    <Question>(
      answer: (
        question: Question,
        reader: ReportReader,
        timeZone: string | undefined,
      ) => Promise<unknown>,
    ) =>
    (question: unknown, { timeoutMs, timeZone }: Options) =>
      answer(question as Question, readers.with({ timeoutMs }), timeZone)
  return {
    click_report: report<ClickReportQuestion>(clickReport),
    click_hits: report<ClickHitsQuestion>(clickHits),
    click_integrity: report<IntegrityQuestion>(clickIntegrity),
    click_trends: report<TrendsQuestion>(clickTrends),
    popup_report: report<PopupReportQuestion>(popupReport),
    split_report: report<SplitReportQuestion>(splitReport),
    admin_latest_links: report<{ hits: number }>(async ({ hits }, reader) => {
      const busiest = await reader.busiestTargets(hits, maxBusiest)
      const caller = { role: 'hoplet_worker', readOnly: true } as const
      return valueAs(database, caller, 'select app.latest_links($1)', [JSON.stringify(busiest)])
    }),
  }
}
