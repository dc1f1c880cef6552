import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { ScrollTable } from '#web/ui/charts/figure-table.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import { ReportCard } from './card.tsx'
import { reportQuery } from './report-queries.ts'
import { countOfClicks, figure, reportTexts } from './report-words.ts'
import type { OpenReport } from './use-report.ts'
import { clicksByHour, weekdayNames } from './week.ts'

const hours = Array.from({ length: 24 }, (_, hour) => hour)
const bodyHeight = 216

/** At which hours of which days people click, in the time zone of the report. */
export function WeekCard({ report }: { report: OpenReport }) {
  const { userId, selection } = report
  const [isTable, setTable] = useState(false)
  const query = useQuery(reportQuery(userId, 'lists', 'weekhour', selection))
  return (
    <ReportCard
      title="Hours and weekdays"
      actions={
        <ToggleButton isOn={isTable} onPress={() => setTable(!isTable)}>
          Table
        </ToggleButton>
      }
      body={{ className: 'mt-2', style: { minHeight: bodyHeight } }}
      query={query}
      loading="Loading hours and weekdays"
      skeleton={
        <div className="animate-pulse rounded-xl bg-sunken" style={{ height: bodyHeight }} />
      }
    >
      {(week) => (isTable ? <WeekTable week={week} /> : <HeatMap week={week} />)}
    </ReportCard>
  )
}

function HeatMap({ week }: { week: ClickReport }) {
  const [active, setActive] = useState<number>()
  const clicks = useMemo(() => clicksByHour(week), [week])
  const most = Math.max(1, ...clicks)
  const busiest = clicks.indexOf(Math.max(...clicks))
  const shown = active ?? (week.clicks === 0 ? undefined : busiest)
  return (
    <div style={{ height: bodyHeight }} className="flex flex-col">
      <div aria-hidden className="grid grow grid-cols-[2rem_minmax(0,1fr)] gap-x-2">
        {weekdayNames.map((day, index) => (
          <div key={day} className="contents">
            <span className="self-center text-xs text-ink-faint">{day.slice(0, 3)}</span>
            <div
              className="grid grid-cols-24 gap-px py-px sm:gap-0.5"
              onPointerLeave={() => setActive(undefined)}
            >
              {hours.map((hour) => {
                const at = index * 24 + hour
                const count = clicks[at] ?? 0
                return (
                  <span
                    key={hour}
                    onPointerEnter={() => setActive(at)}
                    className={`rounded-[3px] ${count === 0 ? 'bg-sunken' : 'bg-ink'} ${active === at ? 'outline-2 outline-accent' : ''}`}
                    style={{ opacity: count === 0 ? 1 : 0.12 + 0.74 * Math.sqrt(count / most) }}
                  />
                )
              })}
            </div>
          </div>
        ))}
        <span />
        <div className="grid grid-cols-4 pt-1 text-xs text-ink-faint tabular-nums">
          {[0, 6, 12, 18].map((hour) => (
            <span key={hour}>{hourWords(hour)}</span>
          ))}
        </div>
      </div>
      <p className="mt-1.5 truncate text-xs text-ink-soft">
        {shown === undefined
          ? `${reportTexts.nothing}.`
          : `${active === undefined ? 'Most: ' : ''}${weekdayNames[Math.floor(shown / 24)]?.slice(0, 3)} ${hourWords(shown % 24)}–${hourWords((shown % 24) + 1)} · ${countOfClicks(clicks[shown] ?? 0, week.sampled)}`}
      </p>
    </div>
  )
}

function WeekTable({ week }: { week: ClickReport }) {
  const clicks = useMemo(() => clicksByHour(week), [week])
  return (
    <ScrollTable
      caption="Clicks by hour and weekday"
      height={bodyHeight}
      head={['Hour', ...weekdayNames.map((day) => day.slice(0, 3))]}
      rows={hours.map((hour) => ({
        key: String(hour),
        name: hourWords(hour),
        cells: weekdayNames.map((_, day) => figure(clicks[day * 24 + hour] ?? 0, week.sampled)),
      }))}
    />
  )
}

function hourWords(hour: number): string {
  return `${String(hour % 24).padStart(2, '0')}:00`
}
