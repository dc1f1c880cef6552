import type { ReactNode } from 'react'
import type { ClickReport } from '#web/clicks/report.ts'
import { KindSwitches } from './kind-switches.tsx'
import { RangePicker } from './period/range-picker.tsx'
import { numbers } from './report-words.ts'
import type { OpenReport } from './use-report.ts'

interface ReportToolbarProps {
  report: OpenReport
  totals: ClickReport | undefined
  /** The live pill. */
  live: ReactNode
}

/** The question: the time, and the hits that count. */
export function ReportToolbar({ report, totals, live }: ReportToolbarProps) {
  const zone = totals?.time_zone ?? report.zone
  return (
    // As high as its shape (web/clicks/report-shape.tsx).
    <div className="@container grid grid-cols-[minmax(0,1fr)] gap-2.5">
      <div className="flex flex-col gap-2.5 @4xl:flex-row @4xl:justify-between">
        <RangePicker report={report} />
        <KindSwitches report={report} />
      </div>
      <div className="flex min-h-8 items-center justify-between gap-4 pointer-coarse:min-h-11">
        <p className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xs text-ink-faint">
          <span>
            Times of {zone.replaceAll('_', ' ')}.
            {report.period.previous === null ? '' : ' Compared with the previous period.'}
          </span>
          <Estimate report={report} sampled={totals?.sampled ?? null} />
        </p>
        {live}
      </div>
    </div>
  )
}

/** Large accounts are answered at once from a part of their visitors. */
function Estimate({ report, sampled }: { report: OpenReport; sampled: number | null }) {
  if (sampled === null) return null
  return (
    <span className="text-ink">
      Estimated from one visitor in {numbers.format(sampled)}.{' '}
      <button
        type="button"
        onClick={() => report.setView((view) => ({ ...view, exact: true }))}
        className="rounded-md font-medium text-accent-text underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        Count exactly
      </button>
    </span>
  )
}
