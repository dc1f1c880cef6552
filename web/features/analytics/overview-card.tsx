import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRights } from '#web/session/space/rights.ts'
import type { HitCounts } from '#web/clicks/live/hit-counts.ts'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { chartHeight, BarChart } from '#web/ui/charts/bar-chart.tsx'
import { Button } from '#web/ui/button.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import type { TimeBucket } from '#web/clicks/report.ts'
import { ScrollTable } from '#web/ui/charts/figure-table.tsx'
import { Part } from './card.tsx'
import { figuresOf } from './figures.ts'
import { type AllTimeClicks, OverviewFigures } from './overview-figures.tsx'
import { spanWords, axisWords, bucketWords } from './period/period-words.ts'
import { reportQuery } from './report-queries.ts'
import { dateAt } from './period/zoned-time.ts'
import { dayNotesQuery } from './series/day-notes.ts'
import { NoteDialog } from './series/note-dialog.tsx'
import { notesOfMonth, seriesPoints, type SeriesPoint } from './series/series.ts'
import type { OpenReport } from './use-report.ts'
import { countOfClicks, figure } from './report-words.ts'

interface OverviewCardProps {
  report: OpenReport
  totals: ClickReport | undefined
  /** Hits that the totals do not have yet; undefined when they are those of another question. */
  arrived: HitCounts | undefined
  /** All-time clicks of a link; other reports have their own. */
  allTime?: AllTimeClicks | undefined
}

/** The totals, and how they came about over time. */
export function OverviewCard({ report, totals, arrived, allTime }: OverviewCardProps) {
  const isLive = totals !== undefined && totals.sampled === null && arrived !== undefined
  return (
    <section
      aria-label="Totals"
      className="@container grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3 rounded-2xl border border-line bg-surface p-4 sm:p-5"
    >
      <OverviewFigures {...{ report, totals, arrived, allTime }} />
      <Series
        report={report}
        clicks={isLive ? figuresOf(totals, report.selection.include, arrived).clicks : undefined}
      />
    </section>
  )
}

interface SeriesProps {
  report: OpenReport
  /** As many as the chart shows altogether, where its own answer is older. */
  clicks: number | undefined
}

function Series({ report, clicks }: SeriesProps) {
  const { userId, selection, previous, period, zone, isRunning } = report
  const mayWrite = useRights()('links:write')
  const [isTable, setTable] = useState(false)
  const [noteDay, setNoteDay] = useState<string>()
  const notes = useQuery(dayNotesQuery(userId)).data ?? []
  const query = useQuery(reportQuery(userId, 'figures', period.bucket, selection))
  const before = useQuery({
    ...reportQuery(userId, 'past', period.bucket, previous ?? selection),
    enabled: previous !== null,
  }).data
  return (
    <div>
      <div style={{ minHeight: chartHeight }}>
        <Part
          query={query}
          loading="Loading the chart"
          skeleton={
            <div className="animate-pulse rounded-xl bg-sunken" style={{ height: chartHeight }} />
          }
        >
          {(current) => {
            const points = seriesPoints({
              current,
              previous: previous === null ? undefined : before,
              arrived: query.isPlaceholderData ? 0 : Math.max(0, (clicks ?? 0) - current.clicks),
              now: report.now,
              notes,
              dayOf: (instant) => dateAt(zone, Date.parse(instant)),
              lastDay: dateAt(zone, period.to - 1),
            })
            const { bucket } = period
            const shown = { points, bucket, zone, isRunning, sampled: current.sampled }
            return isTable ? (
              <SeriesTable {...shown} />
            ) : (
              <SeriesChart
                {...shown}
                question={query.isPlaceholderData ? undefined : JSON.stringify(selection)}
                onPress={(start) => {
                  if (!mayWrite) return
                  const day = dateAt(zone, Date.parse(start))
                  const first = bucket === 'month' ? notesOfMonth(notes, day)[0] : undefined
                  setNoteDay(first?.day ?? day)
                }}
              />
            )
          }}
        </Part>
      </div>
      <div className="mt-1 flex min-h-8 items-center justify-between gap-3 pointer-coarse:min-h-11">
        <p className="flex min-w-0 items-center gap-1.5 text-xs text-ink-faint">
          {period.previous === null ? null : (
            <>
              <span aria-hidden className="grid h-3 w-2.5 place-items-center bg-ink/86">
                <span className="h-0.5 w-full bg-surface" />
              </span>
              <span className="truncate">vs. {spanWords(period.previous, period, zone)}</span>
            </>
          )}
        </p>
        <div className="flex shrink-0 items-center gap-2">
          {mayWrite ? (
            <Button look="quiet" size="small" onClick={() => setNoteDay(dateAt(zone, report.now))}>
              Note
            </Button>
          ) : null}
          <ToggleButton isOn={isTable} onPress={() => setTable(!isTable)}>
            Table
          </ToggleButton>
        </div>
      </div>
      <NoteDialog
        userId={userId}
        zone={zone}
        day={noteDay}
        notes={notes}
        isMonth={period.bucket === 'month'}
        onClose={() => setNoteDay(undefined)}
      />
    </div>
  )
}

interface SeriesChartProps {
  points: readonly SeriesPoint[]
  /** Undefined while the points answer the question before. */
  question: string | undefined
  bucket: TimeBucket
  zone: string
  /** Whether the time of now belongs to it. */
  isRunning: boolean
  sampled: number | null
  /** A bar was pressed; its start. */
  onPress: (start: string) => void
}

const nowNames: Record<TimeBucket, string> = { hour: 'now', day: 'today', month: 'now' }

/** Clicks as bars, with the time before as a notch in each. */
function SeriesChart(props: SeriesChartProps) {
  const { points, question, bucket, zone, isRunning, sampled, onPress } = props
  const last = isRunning ? points.length - 1 : undefined
  return (
    <BarChart
      name={`Clicks by ${bucket}. The arrow keys move over the ${bucket}s, Enter writes a note.`}
      onPress={onPress}
      question={question}
      bars={points.map((point, index) => ({
        key: point.start,
        label: index === last ? nowNames[bucket] : axisWords(point.start, bucket, zone),
        isNow: index === last,
        isMarked: point.notes.length > 0,
        words: pointWords(point, { bucket, zone, sampled }),
        height: point.clicks,
        notch: point.before,
      }))}
    />
  )
}

function pointWords(
  { start, clicks, visitors, before, notes }: SeriesPoint,
  { bucket, zone, sampled }: Pick<SeriesChartProps, 'bucket' | 'zone' | 'sampled'>,
): string[] {
  return [
    bucketWords(start, bucket, zone),
    countOfClicks(clicks, sampled),
    `${figure(visitors, sampled)} ${visitors === 1 ? 'visitor' : 'visitors'}`,
    ...(before === null ? [] : [`before: ${countOfClicks(before, sampled)}`]),
    ...notes,
  ]
}

interface SeriesTableProps {
  points: readonly SeriesPoint[]
  bucket: TimeBucket
  zone: string
  sampled: number | null
}

/** The chart in words, newest first, in the chart's room. */
function SeriesTable({ points, bucket, zone, sampled }: SeriesTableProps) {
  const hasBefore = points.some(({ before }) => before !== null)
  return (
    <ScrollTable
      caption={`Clicks by ${bucket}`}
      height={chartHeight}
      head={[bucketNames[bucket], 'Clicks', 'Visitors', ...(hasBefore ? ['Before'] : [])]}
      rows={points.toReversed().map(({ start, clicks, visitors, before, notes }) => ({
        key: start,
        name: bucketWords(start, bucket, zone),
        cells: [
          figure(clicks, sampled),
          figure(visitors, sampled),
          ...(hasBefore ? [before === null ? '' : figure(before, sampled)] : []),
        ],
        ...(notes.length > 0 && { note: notes.join(' · ') }),
      }))}
    />
  )
}

const bucketNames: Record<TimeBucket, string> = { hour: 'Hour', day: 'Day', month: 'Month' }
