import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { planLimits } from '#domain/plans.ts'
import { isPlanRefusal, isUnknownScope, type ReportScope } from '#web/clicks/report.ts'
import { ReportSkeleton } from '#web/clicks/report-skeleton.tsx'
import { planQuery } from '#web/plan/plan.ts'
import { Button } from '#web/ui/button.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { EmptyReport } from './empty-report.tsx'
import { FilterChips } from './filter-chips.tsx'
import { LivePill } from './live/live-pill.tsx'
import { useLive } from './live/use-live.ts'
import { LockedReport } from './locked-report.tsx'
import { OverviewCard } from './overview-card.tsx'
import { ReportDetails } from './report-details.tsx'
import { integrityQuery, totalsQuery } from './report-queries.ts'
import { ReportToolbar } from './report-toolbar.tsx'
import { reportTexts } from './report-words.ts'
import { type OpenReport, useReport } from './use-report.ts'
import { useZoneOfReport } from './use-time-zone.ts'

export interface ReportPanelProps {
  userId: string
  about: ReportScope
  /** Where the lists and cards below the chart go, if not right below it; null until it is there. */
  restInto?: HTMLElement | null | undefined
  /** Called whenever hits came, for parts outside of the report. */
  onNews?: (() => void) | undefined
}

/** Everything about the clicks of an account or of one of its links and pages, as far as the plan shows it. */
export function ReportPanel({ userId, about: given, restInto, onNews }: ReportPanelProps) {
  const plan = useQuery(planQuery(userId))
  const id = 'id' in given ? given.id : ''
  // Asking again does not ask something else.
  const about = useMemo(
    (): ReportScope => (given.scope === 'account' ? given : { scope: given.scope, id }),
    // oxlint-disable-next-line react/exhaustive-deps -- by value
    [given.scope, id],
  )
  // Not knowing the plan is no reason to offer another one.
  if (plan.data === undefined)
    return plan.isError ? <FailedReport onRetry={() => void plan.refetch()} /> : <ReportSkeleton />
  if (!planLimits[plan.data].canViewClicks) return <LockedReport restInto={restInto} />
  return <AllowedReport key={`${about.scope} ${id}`} {...{ userId, about, restInto, onNews }} />
}

function AllowedReport({ userId, about, restInto, onNews }: ReportPanelProps) {
  const report = useReport(userId, about)
  return report === undefined ? (
    <ReportSkeleton />
  ) : (
    <LoadedReport {...{ report, restInto, onNews }} />
  )
}

interface LoadedReportProps extends Pick<ReportPanelProps, 'restInto' | 'onNews'> {
  report: OpenReport
}

function LoadedReport({ report, restInto, onNews }: LoadedReportProps) {
  const { userId, about, selection } = report
  const query = useQuery(totalsQuery(userId, selection))
  const integrity = useQuery(integrityQuery(userId, about)).data
  const { data: totals, error, isPlaceholderData: isOlder } = query
  const live = useLive(report, isOlder ? undefined : totals, onNews)
  useZoneOfReport(userId, totals)
  if (isPlanRefusal(error)) return <LockedReport restInto={restInto} />
  if (isUnknownScope(error))
    return (
      <StatePanel title="There is no such link or page">
        It was deleted, or it belongs to another account.
      </StatePanel>
    )
  const isEmpty = integrity !== undefined && integrity.received === 0 && totals?.clicks === 0
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
      <ReportToolbar report={report} totals={totals} live={<LivePill live={live} />} />
      <FilterChips report={report} />
      {totals === undefined && query.isError ? (
        <FailedReport onRetry={() => void query.refetch()} />
      ) : isEmpty && live.hits.length === 0 ? (
        <EmptyReport report={report} />
      ) : (
        <>
          <OverviewCard report={report} totals={totals} arrived={live.arrived} />
          <Elsewhere into={restInto}>
            <ReportDetails report={report} totals={totals} arrived={live.hits} />
          </Elsewhere>
        </>
      )}
    </div>
  )
}

function FailedReport({ onRetry }: { onRetry: () => void }) {
  return (
    <StatePanel
      role="alert"
      title={reportTexts.failed}
      action={<Button onClick={onRetry}>Try Again</Button>}
    />
  )
}
