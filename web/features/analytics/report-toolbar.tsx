import type { ReactNode } from 'react'
import type { ClickReport } from '#domain/reports/report-answers.ts'
import { Button } from '#web/ui/button.tsx'
import { FilterMenu } from './filter-menu.tsx'
import { PeriodMenu } from './period/period-menu.tsx'
import { figure, numbers } from './report-words.ts'
import type { OpenReport } from './use-report.ts'
import { chosenRange, withRange } from './view-parts.ts'

interface ReportToolbarProps {
  report: OpenReport
  totals: ClickReport | undefined
  /** At the right end. */
  children: ReactNode
}

/** The question: the time, and the hits that count. */
export function ReportToolbar({ report, totals, children }: ReportToolbarProps) {
  return (
    // As high as its shape (web/clicks/report-shape.tsx).
    <div className="flex min-h-9 flex-wrap items-center gap-2 pointer-coarse:min-h-11">
      <PeriodMenu report={report} />
      <WeekOrMonth report={report} />
      <FilterMenu report={report} hasImported={importedOf(totals) > 0} />
      <div className="ml-auto flex items-center gap-1">{children}</div>
      <Estimate report={report} sampled={totals?.sampled ?? null} />
      <Imported report={report} totals={totals} />
    </div>
  )
}

/** The periods that people compare most, one click apart where there is room. */
function WeekOrMonth({ report: { view, setView } }: { report: OpenReport }) {
  const isWeek = chosenRange(view) === '7d'
  return (
    <Button
      look="quiet"
      size="small"
      className="max-lg:hidden"
      onClick={() => setView((now) => withRange(now, isWeek ? '30d' : '7d'))}
    >
      {isWeek ? '30 days' : '7 days'}
    </Button>
  )
}

const importedOf = (totals: ClickReport | undefined) =>
  totals?.rows.find(({ key }) => key === 'imported')?.clicks ?? 0

/** Clicks of an archive are marked wherever they are shown. */
function Imported({ report, totals }: { report: OpenReport; totals: ClickReport | undefined }) {
  if (report.view.imported !== true || totals === undefined) return null
  return (
    <p className="basis-full text-xs text-ink-soft">
      Includes {figure(importedOf(totals), totals.sampled)} imported clicks. They come from an
      archive, and are no counted clicks.
    </p>
  )
}

/** Large accounts are answered at once from a part of their visitors. */
function Estimate({ report, sampled }: { report: OpenReport; sampled: number | null }) {
  if (sampled === null) return null
  return (
    <p className="basis-full text-xs">
      Estimated from one visitor in {numbers.format(sampled)}.{' '}
      <button
        type="button"
        onClick={() => report.setView((view) => ({ ...view, exact: true }))}
        className="rounded-md font-medium text-accent-text underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        Count exactly
      </button>
    </p>
  )
}
