import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ClickHit } from '#domain/reports/report-answers.ts'
import type { HitSelection } from '#web/clicks/report.ts'
import { shortMoment } from '#web/ui/time-words.ts'
import { ScrollRegion } from '#web/ui/scroll-region.tsx'
import { ReportCard } from '../card.tsx'
import { momentWords } from '../period/period-words.ts'
import { targetName } from '../lists/dimension-words.ts'
import { wholeKinds } from '../lists/list-selection.ts'
import { hitsQuery } from '../report-queries.ts'
import { reportTexts } from '../report-words.ts'
import type { OpenReport } from '../use-report.ts'
import { hitWords } from './hit-words.ts'
import { matchesFilters } from './live-hits.ts'

interface LatestHitsProps {
  report: OpenReport
  /** Those that came since the page was opened. */
  arrived: readonly ClickHit[]
}

const maxHits = 30

/** The newest hits with their verdicts, independent of the switches but that of imported ones. New ones are not announced: there may be many. */
export function LatestHits({ report, arrived }: LatestHitsProps) {
  const { userId, selection, zone, about, isRunning } = report
  const whole: HitSelection = { ...selection, include: wholeKinds(selection) }
  const query = useQuery(hitsQuery(userId, whole, maxHits))
  const hits = useMemo(
    () => latestOf(isRunning ? arrived : [], query.data ?? [], selection),
    [arrived, query.data, selection, isRunning],
  )
  useMinutes()
  return (
    <ReportCard
      title="Latest hits"
      className="@container flex grow flex-col"
      // Its list is as high as what stands beside it, and scrolls.
      body={{ className: 'relative mt-2 min-h-104 grow md:min-h-54' }}
      query={query}
      loading="Loading the latest hits"
      skeleton={<div className="absolute inset-0 animate-pulse rounded-xl bg-sunken" />}
    >
      {() =>
        hits.length === 0 ? (
          <p className="py-3 text-sm text-ink-faint">{reportTexts.nothing}.</p>
        ) : (
          <ScrollRegion
            aria-label="Latest hits, newest first"
            className="absolute -inset-x-2 inset-y-0 overflow-y-auto overscroll-contain rounded-md px-2"
          >
            <ol aria-live="off" className="divide-y divide-line">
              {hits.map((hit) => (
                <HitRow
                  key={hit.cursor}
                  {...{ hit, zone }}
                  showsTarget={about.scope === 'account' || about.scope === 'tag'}
                />
              ))}
            </ol>
          </ScrollRegion>
        )
      }
    </ReportCard>
  )
}

interface HitRowProps {
  hit: ClickHit
  zone: string
  showsTarget: boolean
}

function HitRow({ hit, zone, showsTarget }: HitRowProps) {
  const { who, from, verdict, isCounted } = hitWords(hit)
  return (
    <li className="grid grid-cols-[minmax(0,1fr)] py-2 text-sm">
      <div className="flex items-baseline justify-between gap-4">
        <p className="flex min-w-0 items-baseline gap-x-2 @max-sm:flex-col">
          {showsTarget && hit.label !== null ? (
            <bdi
              className={`max-w-[45%] shrink-0 truncate font-medium @max-sm:max-w-full ${hit.kind === 'link' ? 'font-mono' : ''}`}
              title={hit.label}
            >
              {targetName(hit.label, hit.kind)}
            </bdi>
          ) : null}
          <bdi className="min-w-0 truncate @max-sm:whitespace-normal" title={who}>
            {who}
          </bdi>
        </p>
        <time
          dateTime={hit.at}
          title={momentWords(hit.at, zone)}
          className="text-xs whitespace-nowrap text-ink-faint tabular-nums"
        >
          {shortMoment(hit.at)}
        </time>
      </div>
      <div className="flex items-baseline justify-between gap-4 text-xs text-ink-faint">
        <bdi className="min-w-0 truncate" title={from}>
          {from}
        </bdi>
        <span className={`whitespace-nowrap ${isCounted ? 'text-good' : ''}`}>{verdict}</span>
      </div>
    </li>
  )
}

/** The stream is ahead of the answers, and both can have the same hit. */
function latestOf(
  arrived: readonly ClickHit[],
  read: readonly ClickHit[],
  { filters }: HitSelection,
): ClickHit[] {
  const byCursor = new Map<string, ClickHit>()
  for (const hit of arrived) if (matchesFilters(hit, filters)) byCursor.set(hit.cursor, hit)
  for (const hit of read) byCursor.set(hit.cursor, hit)
  return [...byCursor.values()]
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, maxHits)
}

/** Renders again, so that "a minute ago" becomes "two minutes ago". */
function useMinutes(): void {
  const [, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((tick) => tick + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
}
