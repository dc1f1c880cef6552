import { useState } from 'react'
import { pillClass } from '#web/ui/pill.ts'
import { rangePresets } from '../report-view.ts'
import type { OpenReport } from '../use-report.ts'
import { chosenRange, withRange } from '../view-parts.ts'
import { CustomRangeDialog } from './custom-range-dialog.tsx'
import { rangeNames } from './period-words.ts'

/** The time that the report is about. */
export function RangePicker({ report }: { report: OpenReport }) {
  const { view, setView } = report
  const [isChoosing, setChoosing] = useState(false)
  const current = chosenRange(view)
  return (
    <fieldset className="flex min-w-0 gap-1.5 max-sm:-mx-4 max-sm:-my-1 max-sm:overflow-x-auto max-sm:px-4 max-sm:py-1 max-sm:[scrollbar-width:none] max-sm:scroll-hint">
      <legend className="sr-only">Time</legend>
      {rangePresets.map((preset) => (
        <button
          key={preset}
          type="button"
          aria-pressed={preset === current}
          title={rangeNames[preset].long}
          onClick={() => setView((now) => withRange(now, preset))}
          className={pillClass}
        >
          <span aria-hidden>{rangeNames[preset].short}</span>
          <span className="sr-only">{rangeNames[preset].long}</span>
        </button>
      ))}
      <button
        type="button"
        aria-pressed={current === 'custom'}
        aria-haspopup="dialog"
        onClick={() => setChoosing(true)}
        className={pillClass}
      >
        Custom
      </button>
      <CustomRangeDialog report={report} open={isChoosing} onClose={() => setChoosing(false)} />
    </fieldset>
  )
}
