import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isPlanRefusal, isUnknownScope } from '#web/clicks/report.ts'
import type { PopupRow } from '#web/api/database.ts'
import { Button } from '#web/ui/button.tsx'
import type { PopupReport } from '#domain/reports/report-answers.ts'
import { popupReportQuery, type ResultDays } from '#web/clicks/popup-report.ts'
import {
  peopleWords,
  resultLines,
  countWords,
  type ResultLine,
  shareOfShown,
} from './result-words.ts'
import { ResultsOverTime } from './results-over-time.tsx'
import { ResultsShape } from './results-shape.tsx'
import { SurfaceTable } from './surface-table.tsx'

interface ResultsPanelProps {
  userId: string
  popup: PopupRow
  days: ResultDays
  /** Shown when the plan turns out not to show results. */
  locked: ReactNode
}

export function ResultsPanel({ userId, popup, days, locked }: ResultsPanelProps) {
  const query = useQuery(popupReportQuery(userId, popup.id, days))
  const { data: report, error, isPlaceholderData } = query
  const shown = report?.actions.shown ?? 0
  const isOwnAlone = shown > 0 && report?.people.shown === 0
  const others = useQuery({
    ...popupReportQuery(userId, popup.id, days, ['repeats']),
    enabled: isOwnAlone && !isPlaceholderData,
  }).data
  const own = isOwnAlone && others !== undefined ? shown - others.actions.shown : undefined
  if (isPlanRefusal(error)) return locked
  if (isUnknownScope(error)) return <Note role="alert">This popup was deleted.</Note>
  if (query.isError && (report === undefined || isPlaceholderData))
    return (
      <Note role="alert">
        Failed to load the results
        <Button size="small" onClick={() => void query.refetch()}>
          Try Again
        </Button>
      </Note>
    )
  if (report === undefined) return <ResultsShape isLoading />
  return (
    <div
      aria-busy={isPlaceholderData}
      className={isPlaceholderData ? 'opacity-60 transition-opacity duration-150' : ''}
    >
      <Loaded report={report} own={own} collectsEmail={popup.collect_email} />
    </div>
  )
}

interface LoadedProps {
  report: PopupReport
  /** How often its owner saw it; undefined where that is not asked. */
  own: number | undefined
  collectsEmail: boolean
}

function Loaded({ report, own, collectsEmail }: LoadedProps) {
  const { actions, surfaces, more_surfaces } = report
  const hint = (
    <p className="text-xs text-ink-faint">Counts need JavaScript; bots and pages excluded</p>
  )
  if (actions.shown === 0 && surfaces.length === 0)
    return (
      <div className="grid gap-3">
        <Note>No views in this period</Note>
        {hint}
      </div>
    )
  return (
    <div data-popup-results className="grid grid-cols-[minmax(0,1fr)] gap-4 xl:grid-cols-2">
      <section aria-label="Actions" className={`grid content-between gap-3 ${cardClass}`}>
        <ResultBars lines={resultLines(report, collectsEmail)} shown={actions.shown} />
        <p className="text-sm text-ink-soft">{peopleWords(report, own)}</p>
      </section>
      <div className={cardClass}>
        <ResultsOverTime report={report} collectsEmail={collectsEmail} />
      </div>
      <div className={`xl:col-span-2 ${cardClass}`}>
        <SurfaceTable surfaces={surfaces} more={more_surfaces} collectsEmail={collectsEmail} />
      </div>
      <div className="xl:col-span-2">{hint}</div>
    </div>
  )
}

const cardClass = 'min-w-0 rounded-2xl border border-line bg-surface p-5'

function Note({ role, children }: { role?: 'alert'; children: ReactNode }) {
  return (
    <div
      role={role}
      className="flex flex-wrap items-center justify-between gap-3 rounded-xl border border-dashed border-line px-4 py-6 text-sm text-ink-soft"
    >
      {children}
    </div>
  )
}

interface ResultBarsProps {
  lines: readonly ResultLine[]
  /** How often it was shown, which the bars are shares of. */
  shown: number
}

/** From being shown to the results. */
function ResultBars({ lines, shown }: ResultBarsProps) {
  const most = Math.max(1, ...lines.map(({ count }) => count))
  return (
    <ul className="grid gap-1">
      {lines.map(({ key, name, count, isPart = false }) => (
        <li
          key={key}
          className={`relative flex items-center gap-3 px-2.5 text-sm ${isPart ? 'h-7 pl-6 text-ink-soft' : 'h-9'}`}
        >
          <span
            aria-hidden
            className={`absolute inset-y-0 left-0 rounded-md ${isPart ? 'bg-sunken' : 'bg-ink/12'}`}
            style={{ width: `${(count / most) * 100}%` }}
          />
          <span className="relative min-w-0 grow truncate">{name}</span>
          <span className="relative font-mono tabular-nums">{countWords(count)}</span>
          <span className="relative w-10 text-right text-xs text-ink-soft tabular-nums">
            {key === 'shown' ? '' : shareOfShown(count, shown)}
          </span>
        </li>
      ))}
    </ul>
  )
}
