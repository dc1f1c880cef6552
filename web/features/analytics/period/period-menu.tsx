import { Calendar, Check, ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { Popover, popoverItemClass } from '#web/ui/menus/popover.tsx'
import { type RangePreset, rangePresets } from '../report-view.ts'
import type { OpenReport } from '../use-report.ts'
import { chosenRange, withComparison, withRange } from '../view-parts.ts'
import { CustomRangeDialog } from './custom-range-dialog.tsx'
import { rangeNames, spanWords } from './period-words.ts'

const comparisons = [
  { name: 'Previous period', value: 'period' },
  { name: 'Previous year', value: 'year' },
] as const

/** The time that the report is about, and the one that it is compared with. */
export function PeriodMenu({ report }: { report: OpenReport }) {
  const { view, setView, period, zone } = report
  const [isChoosing, setChoosing] = useState(false)
  const current = chosenRange(view)
  const name = current === 'custom' ? spanWords(period, period, zone) : rangeNames[current]
  return (
    <>
      <Popover
        label={`Period: ${name}`}
        icon={
          <>
            <Calendar size={15} aria-hidden className="text-ink-faint" />
            {name}
            <ChevronDown size={15} aria-hidden className="text-ink-faint" />
          </>
        }
        buttonClass={buttonClass('plain', 'small')}
        className="w-60"
      >
        <fieldset>
          <legend className="sr-only">Period</legend>
          {rangePresets.map((preset: RangePreset) => (
            <Item
              key={preset}
              isChosen={preset === current}
              onChoose={() => setView((now) => withRange(now, preset))}
            >
              {rangeNames[preset]}
            </Item>
          ))}
          <Item isChosen={current === 'custom'} onChoose={() => setChoosing(true)}>
            Custom
          </Item>
        </fieldset>
        {period.previous === null ? null : (
          <fieldset className="mt-1.5 border-t border-line pt-1.5">
            <legend className="sr-only">Compare with</legend>
            {comparisons.map((comparison) => (
              <Item
                key={comparison.value}
                isChosen={comparison.value === (view.compare ?? 'period')}
                onChoose={() => setView((now) => withComparison(now, comparison.value))}
              >
                <span className="text-ink-faint">vs.</span> {comparison.name}
              </Item>
            ))}
          </fieldset>
        )}
      </Popover>
      <CustomRangeDialog report={report} open={isChoosing} onClose={() => setChoosing(false)} />
    </>
  )
}

interface ItemProps {
  isChosen: boolean
  onChoose: () => void
  children: ReactNode
}

function Item({ isChosen, onChoose, children }: ItemProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      onClick={onChoose}
      className={`${popoverItemClass} min-h-8! gap-1.5! aria-pressed:font-medium aria-pressed:text-ink pointer-coarse:min-h-10!`}
    >
      {children}
      {isChosen ? <Check size={15} aria-hidden className="ml-auto" /> : null}
    </button>
  )
}
