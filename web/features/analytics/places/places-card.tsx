import { connectionTexts } from '#domain/account-texts.ts'
import type { ClickReport } from '#web/clicks/report.ts'
import { FailedLine } from '#web/ui/failed-line.tsx'
import { useLazyPart } from '#web/ui/use-lazy-part.ts'
import { TopCard } from '../lists/top-card.tsx'
import type { OpenReport } from '../use-report.ts'
import { valuesOf, withFilter } from '../view-parts.ts'

const loadMap = async () => (await import('./world-map.tsx')).WorldMap

/** Every country that there is. */
const maxCountries = 300

/** Where clicks come from: a map of the countries, and lists of countries, regions and cities. */
export function PlacesCard({ report }: { report: OpenReport }) {
  return (
    <TopCard
      title="Places"
      report={report}
      limit={maxCountries}
      tabs={[
        { name: 'Countries', dimensions: ['country'] },
        { name: 'Regions', dimensions: ['region'] },
        { name: 'Cities', dimensions: ['city'] },
      ]}
      picture={(list) => <LazyMap {...{ report, list }} />}
    />
  )
}

/** Its script holds the borders of the world, and comes once there is something to draw. */
function LazyMap({ report, list }: { report: OpenReport; list: ClickReport | undefined }) {
  const { Part: WorldMap, hasFailed, retry } = useLazyPart(true, loadMap)
  const { view, setView } = report
  return (
    <div className="self-center p-4 sm:p-5">
      {WorldMap !== undefined && list !== undefined ? (
        <WorldMap
          list={list}
          chosen={valuesOf(view, 'country')}
          onToggle={(code) => setView((now) => withFilter(now, 'country', code))}
        />
      ) : hasFailed ? (
        <FailedLine retry={retry}>{connectionTexts.partFailed}</FailedLine>
      ) : (
        <div aria-hidden className="aspect-[960/450] animate-pulse rounded-xl bg-sunken" />
      )}
    </div>
  )
}
