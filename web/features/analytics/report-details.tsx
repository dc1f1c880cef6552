import { utmFields } from '#domain/hits.ts'
import type { ClickHit, ClickReport } from '#web/clicks/report.ts'
import { IntegrityCard } from './integrity-card.tsx'
import { LatestHits } from './live/latest-hits.tsx'
import { type ListTab, TopCard } from './lists/top-card.tsx'
import { LoyaltyCard } from './loyalty-card.tsx'
import { PlacesCard } from './places/places-card.tsx'
import type { OpenReport } from './use-report.ts'
import { WeekCard } from './week-card.tsx'

interface ReportDetailsProps {
  report: OpenReport
  totals: ClickReport | undefined
  arrived: readonly ClickHit[]
}

const sources: ListTab = { name: 'Sources', dimensions: ['source'] }

/** Breakdown of the clicks, below the chart. */
export function ReportDetails({ report, totals, arrived }: ReportDetailsProps) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 md:grid-cols-2">
      <TopCard
        title="Links and sources"
        report={report}
        tabs={
          report.about.scope === 'account'
            ? [{ name: 'Links & pages', dimensions: ['target'] }, sources]
            : [sources]
        }
      />
      <TopCard
        title="Referrers and campaigns"
        report={report}
        tabs={[
          { name: 'Referrers', dimensions: ['referrer'] },
          { name: 'Pages', dimensions: ['page'] },
          {
            name: 'Campaigns',
            dimensions: utmFields,
          },
        ]}
      />
      <div className="min-w-0 md:col-span-2">
        <PlacesCard report={report} />
      </div>
      <TopCard
        title="Devices"
        report={report}
        tabs={[
          { name: 'Devices', dimensions: ['device'] },
          { name: 'Browsers', dimensions: ['browser'] },
          { name: 'Systems', dimensions: ['system'] },
          { name: 'Languages', dimensions: ['language'] },
        ]}
      />
      <TopCard
        title="Verdicts and bots"
        report={report}
        tabs={[
          { name: 'Verdicts', dimensions: ['verdict'] },
          { name: 'Bots', dimensions: ['bot'] },
        ]}
      />
      <div className="flex min-w-0 flex-col gap-4">
        <WeekCard report={report} />
        <LatestHits {...{ report, arrived }} />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <LoyaltyCard totals={totals} />
        <IntegrityCard report={report} />
      </div>
    </div>
  )
}
