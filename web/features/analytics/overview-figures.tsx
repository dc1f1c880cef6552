import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import type { HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { shortDayOf } from '#web/ui/time-words.ts'
import { FigureTile } from './figure-tile.tsx'
import { type Figures, figuresOf } from './figures.ts'
import { reportQuery, integrityQuery } from './report-queries.ts'
import { countOfClicks, figure, shareWords } from './report-words.ts'
import type { OpenReport } from './use-report.ts'
import { bestHourOf, hourSpan } from './week.ts'

export interface AllTimeClicks {
  clicks: number
  /** Time of the first click; null where it is not known. */
  since: string | null
}

interface OverviewFiguresProps {
  report: OpenReport
  totals: ClickReport | undefined
  arrived: HitCounts | undefined
  allTime: AllTimeClicks | undefined
}

/** Clicks, visitors, the share of the QR code, and the best hour. */
export function OverviewFigures({ report, totals, arrived, allTime }: OverviewFiguresProps) {
  const { userId, selection, comparable } = report
  const before = useQuery({
    ...reportQuery(userId, 'past', 'total', comparable ?? selection),
    enabled: comparable !== null,
    placeholderData: keepPreviousData,
  }).data
  const figures = totals && figuresOf(totals, selection.include, arrived)
  const earlier =
    comparable === null || before === undefined ? undefined : figuresOf(before, selection.include)
  const sampled = totals?.sampled ?? null
  const than = report.view.compare === 'year' ? 'the previous year' : 'the previous period'
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-2 @2xl:grid-cols-4">
      {(['clicks', 'visitors'] as const).map((name) => (
        <FigureTile
          key={name}
          name={name === 'clicks' ? 'Clicks' : 'Visitors'}
          value={figures && figure(figures[name], sampled, true)}
          title={figures && figure(figures[name], sampled)}
          beside={
            figures === undefined || earlier === undefined ? null : (
              <ChangeTag now={figures[name]} before={earlier[name]} than={than} />
            )
          }
          below={
            name === 'clicks' ? (
              <AllTime {...{ report, allTime }} />
            ) : (
              figures && belowVisitors(figures, sampled)
            )
          }
        />
      ))}
      <FromQrCode report={report} />
      <BestHour report={report} />
    </dl>
  )
}

function AllTime({ report, allTime }: Pick<OverviewFiguresProps, 'report' | 'allTime'>) {
  const { data } = useQuery({
    ...integrityQuery(report.userId, report.about),
    enabled: allTime === undefined,
  })
  const { clicks, since } =
    allTime ?? (data === undefined ? noClicks : { clicks: data.counted, since: data.kept_since })
  if (clicks === undefined) return null
  return (
    <>
      {figure(clicks, null)} all-time
      {since === null ? null : <span className="@max-md:hidden">, since {shortDayOf(since)}</span>}
    </>
  )
}

const noClicks = { clicks: undefined, since: null }

/** All clicks may be visits of the owner, which add no visitor. */
function belowVisitors(figures: Figures, sampled: number | null): string {
  const { visitors, clicks, parts, returning } = figures
  if (visitors === 0 && clicks > 0 && (parts.own ?? 0) > 0) return `Your own: ${parts.own}`
  return `${figure(returning, sampled)} ${returning === 1 ? 'later click' : 'later clicks'}`
}

/** As many sources as there can be. */
const maxSources = 10

function FromQrCode({ report: { userId, selection } }: { report: OpenReport }) {
  const { data } = useQuery(reportQuery(userId, 'lists', 'source', selection, maxSources))
  const scans = data?.rows.find(({ key }) => key === 'qr')?.clicks ?? 0
  return (
    <FigureTile
      name="From the QR code"
      value={data && shareWords(scans, data.clicks)}
      below={data && `${figure(scans, data.sampled)} ${scans === 1 ? 'scan' : 'scans'}`}
    />
  )
}

function BestHour({ report: { userId, selection, zone } }: { report: OpenReport }) {
  const { data } = useQuery(reportQuery(userId, 'lists', 'weekhour', selection))
  const best = data && bestHourOf(data)
  return (
    <FigureTile
      name="Best hour"
      value={data && (best === undefined ? '–' : hourSpan(best.index))}
      below={
        best === undefined
          ? zone.replaceAll('_', ' ')
          : `${countOfClicks(best.clicks, data?.sampled)}, ${zone.replaceAll('_', ' ')}`
      }
    />
  )
}
