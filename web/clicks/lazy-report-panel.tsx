import { connectionTexts } from '#domain/account-texts.ts'
import type { ReportPanelProps } from '#web/features/analytics/report-panel.tsx'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'
import { ReportSkeleton } from './report-skeleton.tsx'

const loadReport = async () =>
  (await import('#web/features/analytics/report-panel.tsx')).ReportPanel

/** The report about clicks, for screens of other features. Its script comes after theirs. */
export function LazyReportPanel(props: ReportPanelProps) {
  const { Part: ReportPanel, hasFailed, retry } = useLazyPart(true, loadReport)
  if (ReportPanel !== undefined) return <ReportPanel {...props} />
  if (hasFailed) return <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
  return <ReportSkeleton />
}
