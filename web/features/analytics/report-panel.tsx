import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef } from 'react'
import { ArrivingClicks } from '#web/clicks/arriving-clicks.tsx'
import { isPlanRefusal, isUnknownScope, type ReportScope } from '#web/clicks/report.ts'
import { ReportSkeleton } from '#web/clicks/report-skeleton.tsx'
import { usePlan } from '#web/plan/plan.ts'
import { Button } from '#web/ui/button.tsx'
import { Fold } from '#web/ui/fold.tsx'
import { StatePanel } from '#web/ui/state-panel.tsx'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { lazyPart } from '#web/app/lazy-part.tsx'
import { useSeen } from '#web/ui/hooks/use-seen.ts'
import { EmptyReport } from './empty-report.tsx'
import { FilterChips } from './filter-chips.tsx'
import { HowWeCount } from './how-we-count.tsx'
import { LatestHits } from './live/latest-hits.tsx'
import { LivePill } from './live/live-pill.tsx'
import { useLive } from './live/use-live.ts'
import { LockedReport } from './locked-report.tsx'
import { OverviewCard } from './overview-card.tsx'
import { ReportLists } from './report-lists.tsx'
import { integrityQuery, reportQuery } from './report-queries.ts'
import { ReportToolbar } from './report-toolbar.tsx'
import { reportTexts } from './report-words.ts'
import { SaveHits } from './save-hits.tsx'
import { type OpenReport, useReport } from './use-report.ts'
import { useZoneOfReport } from './use-time-zone.ts'
import { WeekCard } from './week-card.tsx'
import type { AllTimeClicks } from './overview-figures.tsx'
import { Card } from './card.tsx'
import { listSelection } from './lists/list-selection.ts'
import { valuesOf, withFilter } from './view-parts.ts'

export interface ReportPanelProps {
  userId: string
  about: ReportScope
  /** All-time clicks of a link; elsewhere the report knows them. */
  allTime?: AllTimeClicks | undefined
  /** Called whenever hits came, for parts outside of the report. */
  onNews?: (() => void) | undefined
}

/** Everything about the clicks of an account or of one of its links and pages, as far as the plan shows it. */
export function ReportPanel({ userId, about: given, allTime, onNews }: ReportPanelProps) {
  const plan = usePlan(userId)
  const id = 'id' in given ? given.id : ''
  // The same object while its parts are equal.
  const about = useMemo(
    (): ReportScope => (given.scope === 'account' ? given : { scope: given.scope, id }),
    // oxlint-disable-next-line react/exhaustive-deps -- by value
    [given.scope, id],
  )
  if (plan === undefined) return <ReportSkeleton />
  if (!plan.limits.canViewClicks) return <LockedReport />
  return <AllowedReport key={`${about.scope} ${id}`} {...{ userId, about, allTime, onNews }} />
}

function AllowedReport({ userId, about, allTime, onNews }: ReportPanelProps) {
  const report = useReport(userId, about)
  return report === undefined ? (
    <ReportSkeleton />
  ) : (
    <LoadedReport {...{ report, allTime, onNews }} />
  )
}

interface LoadedReportProps extends Pick<ReportPanelProps, 'allTime' | 'onNews'> {
  report: OpenReport
}

function LoadedReport({ report, allTime, onNews }: LoadedReportProps) {
  const { userId, about, selection } = report
  const query = useQuery(reportQuery(userId, 'figures', 'total', selection))
  const integrity = useQuery(integrityQuery(userId, about)).data
  const { data: totals, error, isPlaceholderData: isOlder } = query
  const live = useLive(report, isOlder ? undefined : totals, onNews)
  const isPhone = useMedia(phone)
  useZoneOfReport(userId, totals)
  if (isPlanRefusal(error)) return <LockedReport />
  if (isUnknownScope(error))
    return (
      <StatePanel title={`There is no such ${about.scope === 'tag' ? 'tag' : 'link or page'}`}>
        It was deleted, or it belongs to another account.
      </StatePanel>
    )
  const ways = (
    <>
      <HowWeCount report={report} totals={totals} />
      <SaveHits report={report} />
    </>
  )
  const isEmpty = integrity?.received === 0 && totals?.clicks === 0 && !allTime?.clicks
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-4">
      <ReportToolbar report={report} totals={totals}>
        <LivePill live={live} />
        {isPhone ? null : ways}
      </ReportToolbar>
      <FilterChips report={report} />
      <ArrivingClicks userId={userId} />
      {totals === undefined && query.isError ? (
        <FailedReport onRetry={() => void query.refetch()} />
      ) : isEmpty && live.hits.length === 0 ? (
        <EmptyReport report={report} />
      ) : (
        <>
          <OverviewCard report={report} totals={totals} arrived={live.arrived} allTime={allTime} />
          <ReportLists report={report} />
          <Fold name="More analytics">
            {isPhone ? <div className="flex items-center justify-between">{ways}</div> : null}
            <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
              <WeekCard report={report} />
              <LatestHits report={report} arrived={live.hits} />
            </div>
            <MapCard report={report} />
          </Fold>
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

const waiting = <div aria-hidden className="aspect-[960/450] animate-pulse rounded-xl bg-sunken" />
const WorldMap = lazyPart(async () => (await import('./places/world-map.tsx')).WorldMap, waiting)

/** Every country that there is. */
const maxCountries = 300
/** Fewer are clearer in the list. */
const minCountries = 10

/** Clicks by country on a map, from ten countries on. */
function MapCard({ report }: { report: OpenReport }) {
  const selection = listSelection(report, 'country')
  const { data } = useQuery(reportQuery(report.userId, 'lists', 'country', selection, maxCountries))
  const countries = data?.rows.filter(({ key }) => key !== '').length ?? 0
  return data === undefined || countries < minCountries ? null : (
    <Card title="Map">
      <LazyMap {...{ report }} list={data} />
    </Card>
  )
}

/** Its script holds the borders of the world, and comes when the map comes into sight. */
function LazyMap({ report, list }: { report: OpenReport; list: ClickReport }) {
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(place)
  const { view, setView } = report
  return (
    <div ref={place} className="mx-auto max-w-4xl">
      {isSeen ? (
        <WorldMap
          list={list}
          chosen={valuesOf(view, 'country')}
          onToggle={(code) => setView((now) => withFilter(now, 'country', code))}
        />
      ) : (
        waiting
      )}
    </div>
  )
}
