import { useQuery } from '@tanstack/react-query'
import { utmFields } from '#domain/reports/hits.ts'
import { domainChoicesQuery } from '#web/domains/domain-choices.ts'
import { phone, useMedia } from '#web/ui/hooks/use-media.ts'
import { listSelection } from './lists/list-selection.ts'
import { type ListTab, shownRows, TopCard } from './lists/top-card.tsx'
import { reportQuery } from './report-queries.ts'
import type { OpenReport } from './use-report.ts'

const targets: ListTab = { name: 'Links & pages', dimensions: ['target'] }
const domains: ListTab = { name: 'Domains', dimensions: ['domain'] }
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

const placements: ListTab = { name: 'Placements', dimensions: ['placement'] }

/** Most accounts have no prints of their links with a mark. */
function useOrigins(report: OpenReport): readonly [ListTab, ...ListTab[]] {
  const selection = listSelection(report, 'placement')
  const { data } = useQuery(reportQuery(report.userId, 'lists', 'placement', selection, shownRows))
  return data?.rows.some(({ key }) => key !== '') ? [...origins, placements] : origins
}

/** Most accounts have no domains. */
function useTargets(userId: string): readonly [ListTab, ...ListTab[]] {
  const { data = [] } = useQuery(domainChoicesQuery(userId))
  return data.length === 0 ? [targets] : [targets, domains]
}

/** Breakdown of the clicks, below the chart; phones have all lists in one card. */
export function ReportLists({ report }: { report: OpenReport }) {
  const isPhone = useMedia(phone)
  const { scope } = report.about
  const cameFrom = useOrigins(report)
  const ofAccount = useTargets(report.userId)
  const hasTargets = scope === 'account' || scope === 'tag'
  if (isPhone)
    return (
      <TopCard
        title="Breakdown"
        report={report}
        tabs={
          hasTargets
            ? [...ofAccount, ...cameFrom, ...places, ...devices]
            : [...cameFrom, ...places, ...devices]
        }
      />
    )
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)] gap-4 ${hasTargets ? 'lg:grid-cols-2' : 'lg:grid-cols-3'}`}
    >
      {hasTargets ? <TopCard title="Links and pages" report={report} tabs={ofAccount} /> : null}
      <TopCard title="Came from" report={report} tabs={cameFrom} />
      <TopCard title="Places" report={report} tabs={places} />
      <TopCard title="Devices" report={report} tabs={devices} />
    </div>
  )
}
