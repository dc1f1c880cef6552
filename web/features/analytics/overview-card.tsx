import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import type { ClickReport } from '#web/clicks/report.ts'
import { chartHeight } from '#web/ui/bar-chart.tsx'
import { ToggleButton } from '#web/ui/toggle-button.tsx'
import { Part } from './card.tsx'
import { ExplanationDialog } from './explanation-dialog.tsx'
import { FigureTile } from './figure-tile.tsx'
import type { HitCounts } from '#web/clicks/live/hit-counts.ts'
import { type FigureName, figureNames, type Figures, figuresOf } from './figures.ts'
import { spanWords } from './period/period-words.ts'
import { seriesQuery, totalsQuery } from './report-queries.ts'
import { figure } from './report-words.ts'
import { SeriesChart } from './series/series-chart.tsx'
import { SeriesTable } from './series/series-table.tsx'
import { seriesPoints } from './series/series.ts'
import type { OpenReport } from './use-report.ts'

const tileNames = Object.keys(figureNames) as FigureName[]

interface OverviewCardProps {
  report: OpenReport
  totals: ClickReport | undefined
  /** Hits that the totals do not have yet; undefined when they are those of another question. */
  arrived: HitCounts | undefined
}

/** The totals, and how they came about over time. */
export function OverviewCard({ report, totals, arrived }: OverviewCardProps) {
  const { userId, selection, comparable } = report
  const [explained, setExplained] = useState<FigureName>()
  const before = useQuery({
    ...totalsQuery(userId, comparable ?? selection, 'past'),
    enabled: comparable !== null,
    placeholderData: keepPreviousData,
  }).data
  const figures = totals && figuresOf(totals, selection.include, arrived)
  const earlier =
    comparable === null || before === undefined ? undefined : figuresOf(before, selection.include)
  const sampled = totals?.sampled ?? null
  return (
    <section
      aria-label="Totals"
      className="@container min-w-0 rounded-2xl border border-line bg-surface"
    >
      <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-t-2xl border-b border-line bg-line *:bg-surface @xl:grid-cols-5 @max-xl:*:first:col-span-2">
        {tileNames.map((name) => (
          <FigureTile
            key={name}
            name={figureNames[name]}
            value={figures && figure(figures[name], sampled, true)}
            title={figures && figure(figures[name], sampled)}
            onExplain={() => setExplained(name)}
          >
            {name === 'visitors' && isOwnAlone(figures) ? (
              <span className="text-xs text-ink-faint">Your own: {figures?.parts.own}</span>
            ) : (
              <Change {...{ name, figures, earlier }} />
            )}
          </FigureTile>
        ))}
      </dl>
      <Series
        report={report}
        clicks={sampled === null && arrived !== undefined ? figures?.clicks : undefined}
      />
      {figures === undefined ? null : (
        <ExplanationDialog
          name={explained}
          {...{ figures, report, sampled }}
          onClose={() => setExplained(undefined)}
        />
      )}
    </section>
  )
}

/** Whether the clicks are the owner's alone, whom no visitor is counted for. */
function isOwnAlone(figures: Figures | undefined): boolean {
  return figures?.visitors === 0 && figures.clicks > 0 && (figures.parts.own ?? 0) > 0
}

interface ChangeProps {
  name: FigureName
  figures: Figures | undefined
  earlier: Figures | undefined
}

function Change({ name, figures, earlier }: ChangeProps) {
  // Its line is there before it.
  if (figures === undefined || earlier === undefined) return <span className="text-xs">&nbsp;</span>
  return (
    <ChangeTag
      now={figures[name]}
      before={earlier[name]}
      than="the previous period"
      isGood={name !== 'filtered'}
    />
  )
}

interface SeriesProps {
  report: OpenReport
  /** As many as the chart shows altogether, where its own answer is older. */
  clicks: number | undefined
}

function Series({ report, clicks }: SeriesProps) {
  const { userId, selection, previous, period, zone } = report
  const [isTable, setTable] = useState(false)
  const query = useQuery(seriesQuery(userId, selection, period.bucket))
  const before = useQuery({
    ...seriesQuery(userId, previous ?? selection, period.bucket, 'past'),
    enabled: previous !== null,
  }).data
  return (
    <div className="p-4 sm:p-5">
      <div className="mb-3 flex min-h-8 items-center justify-between gap-3 max-sm:min-h-10 pointer-coarse:min-h-11">
        <Legend report={report} />
        <ToggleButton isOn={isTable} onPress={() => setTable(!isTable)}>
          Table
        </ToggleButton>
      </div>
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
            })
            const shown = { points, bucket: period.bucket, zone, sampled: current.sampled }
            return isTable ? <SeriesTable {...shown} /> : <SeriesChart {...shown} />
          }}
        </Part>
      </div>
    </div>
  )
}

function Legend({ report: { period, zone } }: { report: OpenReport }) {
  return (
    <p className="flex min-w-0 flex-wrap gap-x-4 gap-y-0.5 text-xs text-ink-soft">
      <span className="inline-flex items-center gap-1.5">
        <span aria-hidden className="size-2.5 rounded-xs bg-accent opacity-60" />
        {spanWords(period, period, zone)}
      </span>
      {period.previous === null ? null : (
        <span className="inline-flex items-center gap-1.5">
          <span aria-hidden className="h-px w-3 bg-ink-faint" />
          {spanWords(period.previous, period, zone)}
        </span>
      )}
    </p>
  )
}
