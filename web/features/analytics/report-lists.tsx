import { utmFields } from '#domain/reports/hits.ts'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { type ListTab, TopCard } from './lists/top-card.tsx'
import type { OpenReport } from './use-report.ts'

const targets: ListTab = { name: 'Links & pages', dimensions: ['target'] }
const origins: readonly [ListTab, ...ListTab[]] = [
  { name: 'Came from', dimensions: ['referrer'] },
  { name: 'Pages', dimensions: ['page'] },
  { name: 'Campaigns', dimensions: utmFields },
  { name: 'Sources', dimensions: ['source'] },
]
const places: readonly [ListTab, ...ListTab[]] = [
  { name: 'Countries', dimensions: ['country'] },
  { name: 'Regions', dimensions: ['region'] },
  { name: 'Cities', dimensions: ['city'] },
]
const devices: readonly [ListTab, ...ListTab[]] = [
  { name: 'Devices', dimensions: ['device'] },
  { name: 'Browsers', dimensions: ['browser'] },
  { name: 'Systems', dimensions: ['system'] },
  { name: 'Languages', dimensions: ['language'] },
]

/** Breakdown of the clicks, below the chart; phones have all lists in one card. */
export function ReportLists({ report }: { report: OpenReport }) {
  const isPhone = useMedia(phone)
  const { scope } = report.about
  const hasTargets = scope === 'account' || scope === 'tag'
  if (isPhone)
    return (
      <TopCard
        title="Breakdown"
        report={report}
        tabs={
          hasTargets
            ? [targets, ...origins, ...places, ...devices]
            : [...origins, ...places, ...devices]
        }
      />
    )
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${hasTargets ? 'lg:grid-cols-2' : 'lg:grid-cols-3'}`}
    >
      {hasTargets ? <TopCard title="Links and pages" report={report} tabs={[targets]} /> : null}
      <TopCard title="Came from" report={report} tabs={origins} />
      <TopCard title="Places" report={report} tabs={places} />
      <TopCard title="Devices" report={report} tabs={devices} />
    </div>
  )
}
