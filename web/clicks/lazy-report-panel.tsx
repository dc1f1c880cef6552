import { lazyPart } from '#web/app/lazy-part.tsx'
import { ReportSkeleton } from './report-skeleton.tsx'

/** The report about clicks, for screens of other features. Its script comes after theirs. */
export const LazyReportPanel = lazyPart(
  async () => (await import('#web/features/analytics/report-panel.tsx')).ReportPanel,
  <ReportSkeleton />,
)
