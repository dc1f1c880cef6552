import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isPlanRefusal, isUnknownScope } from '#web/clicks/report.ts'
import type { PopupRow } from '#web/database.ts'
import { Button } from '#web/ui/button.tsx'
import type { PopupReport } from '#domain/report-answers.ts'
import { popupReportQuery, type ResultDays } from '#web/clicks/popup-report.ts'
import { peopleWords, resultLines } from './result-words.ts'
import { ResultBars } from './result-bars.tsx'
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
