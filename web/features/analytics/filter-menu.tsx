import { ListFilter } from 'lucide-react'
import { clickDimensions } from '#domain/reports/hits.ts'
import type { CountedKind } from '#domain/reports/report-answers.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import type { OpenReport } from './use-report.ts'
import { valuesOf, withKind } from './view-parts.ts'

const kinds: readonly { kind: CountedKind; name: string; hint: string }[] = [
  { kind: 'repeats', name: 'Repeat clicks', hint: 'Same visitor within 30 minutes' },
  { kind: 'own', name: 'My visits', hint: 'From a browser with your account' },
  {
    kind: 'bots',
    name: 'Bots and interstitials',
    hint: 'Crawlers, previews, programs, password pages',
  },
]

/** Only for reports that have some. */
const importedKind = {
  kind: 'imported',
  name: 'Show imported clicks',
  hint: 'From an archive that you imported; never counted',
} as const

interface FilterMenuProps {
  report: OpenReport
  /** Whether the report has hits of an archive. */
  hasImported: boolean
}

/** The kinds of hits that count. */
export function FilterMenu({ report, hasImported }: FilterMenuProps) {
  const { view, selection, setView } = report
  const offered = hasImported || view.imported === true ? [...kinds, importedKind] : kinds
  const chosen = clickDimensions.reduce((sum, each) => sum + valuesOf(view, each).length, 0)
  const { repeats, own, bots, imported } = view
  const changed = [repeats, own, bots, imported].filter((each) => each !== undefined).length
  const count = chosen + changed
  return (
    <Popover
      label={count === 0 ? 'Filter' : `Filter ${count}`}
      icon={
        <>
          <ListFilter size={15} aria-hidden className="text-ink-faint" />
          Filter{' '}
          {count === 0 ? null : (
            <span className="rounded-full bg-ink px-1.5 text-xs leading-5 text-paper">{count}</span>
          )}
        </>
      }
      buttonClass={buttonClass('plain', 'small')}
      className="w-72"
    >
      <fieldset>
        <legend className="px-3 pt-2 pb-1 text-xs text-ink-faint">Count as well</legend>
        {offered.map(({ kind, name, hint }) => (
          <label
            key={kind}
            className="flex min-h-12 cursor-pointer items-center gap-3 rounded-xl px-3 py-1.5 text-sm hover:bg-sunken"
          >
            <input
              type="checkbox"
              role="switch"
              checked={selection.include.includes(kind)}
              aria-checked={selection.include.includes(kind)}
              onChange={({ target }) => setView((now) => withKind(now, kind, target.checked))}
              className="size-5 shrink-0 accent-ink"
              aria-label={name}
            />
            <span>
              {name}
              <span className="block text-xs text-ink-faint">{hint}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <p className="border-t border-line px-3 py-2 text-xs text-ink-faint">
        Press a row of a list to narrow the report.
      </p>
    </Popover>
  )
}
