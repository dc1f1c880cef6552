import { useState } from 'react'
import { BarChart, chartHeight } from '#web/ui/charts/bar-chart.tsx'
import { ScrollTable } from '#web/ui/charts/figure-table.tsx'
import { ToggleButton } from '#web/ui/fields/toggle-button.tsx'
import type { PopupReport } from '#domain/reports/report-answers.ts'
import { countWords, dayFormatsIn } from './result-words.ts'

interface ResultsOverTimeProps {
  report: PopupReport
  collectsEmail: boolean
}

type DayColumn = 'shown' | 'clicked' | 'emailed'

const columnNames = { shown: 'Shown', clicked: 'Clicked', emailed: 'Emails' } as const

/** How often it was shown each day, and the answers of visitors; as a drawing or a table. */
export function ResultsOverTime({ report, collectsEmail }: ResultsOverTimeProps) {
  const [isTable, setTable] = useState(false)
  const answer = collectsEmail ? 'emailed' : 'clicked'
  const other = collectsEmail ? 'clicked' : 'emailed'
  const columns = ['shown', answer, other].filter(
    (column): column is DayColumn => column !== other || report.actions[other] > 0,
  )
  return (
    <section aria-label="Day by day" className="min-w-0">
      <div className="mb-2 flex min-h-8 items-center justify-between gap-3 pointer-coarse:min-h-11">
        <p className="flex gap-4 text-xs text-ink-soft">
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="size-2.5 rounded-xs bg-ink/86" />
            {columnNames.shown}
          </span>
          <span className="inline-flex items-center gap-1.5">
            <span aria-hidden className="h-0.5 w-3 bg-edge" />
            {columnNames[answer]}
          </span>
        </p>
        <ToggleButton isOn={isTable} onPress={() => setTable(!isTable)}>
          Table
        </ToggleButton>
      </div>
      {isTable ? (
        <DayTable report={report} columns={columns} />
      ) : (
        <DayChart report={report} columns={columns} answer={answer} />
      )}
    </section>
  )
}

interface DaysProps {
  report: PopupReport
  columns: readonly DayColumn[]
}

function DayChart({ report, columns, answer }: DaysProps & { answer: DayColumn }) {
  const words = dayFormatsIn(report.time_zone)
  return (
    <BarChart
      name="Results by day. The arrow keys move over the days."
      bars={report.series.map((day) => ({
        key: day.key,
        label: words.short(day.key),
        words: [
          words.full(day.key),
          ...columns.map((column) => `${columnNames[column]}: ${countWords(day[column])}`),
        ],
        height: day.shown,
        notch: day[answer],
      }))}
    />
  )
}

function DayTable({ report, columns }: DaysProps) {
  const words = dayFormatsIn(report.time_zone)
  return (
    <ScrollTable
      caption="Results by day"
      height={chartHeight}
      head={['Day', ...columns.map((column) => columnNames[column])]}
      rows={report.series.toReversed().map((day) => ({
        key: day.key,
        name: words.full(day.key),
        cells: columns.map((column) => countWords(day[column])),
      }))}
    />
  )
}
