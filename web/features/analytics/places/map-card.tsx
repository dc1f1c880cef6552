import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import type { ClickReport } from '#domain/report-answers.ts'
import { lazyPart } from '#web/lazy-part.tsx'
import { useSeen } from '#web/ui/use-seen.ts'
import { Card } from '../card.tsx'
import { listSelection } from '../lists/list-selection.ts'
import { reportQuery } from '../report-queries.ts'
import type { OpenReport } from '../use-report.ts'
import { valuesOf, withFilter } from '../view-parts.ts'

const waiting = <div aria-hidden className="aspect-[960/450] animate-pulse rounded-xl bg-sunken" />
const WorldMap = lazyPart(async () => (await import('./world-map.tsx')).WorldMap, waiting)

/** Every country that there is. */
const maxCountries = 300
/** Fewer are clearer in the list. */
const minCountries = 10

/** Clicks by country on a map, from ten countries on. */
export function MapCard({ report }: { report: OpenReport }) {
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
