import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ListDimension, listDimensions } from '#domain/reports/hits.ts'
import type { HitSelection } from '#web/clicks/report.ts'
import { dimensionWords, valueName } from './lists/dimension-words.ts'
import { pillClass } from '#web/ui/pill.ts'
import { reportQuery } from './report-queries.ts'
import type { OpenReport } from './use-report.ts'
import { hasFilters, valuesOf, withFilter, withoutFilters } from './view-parts.ts'

/** Filters of the report. Pressing a chip removes it. */
export function FilterChips({ report }: { report: OpenReport }) {
  const { view, setView } = report
  const names = useTargetNames(report)
  if (!hasFilters(view)) return null
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">Filters</legend>
      {listDimensions.flatMap((dimension) =>
        valuesOf(view, dimension).map((value) => (
          <Chip
            key={`${dimension} ${value}`}
            name={dimensionWords[dimension].one}
            value={
              dimension === 'target'
                ? (names.get(value) ?? '…')
                : valueName(dimension, { key: value })
            }
            onRemove={() => setView((now) => withFilter(now, dimension, value))}
          />
        )),
      )}
      <button
        type="button"
        onClick={() => setView(withoutFilters)}
        className={`${pillClass} border-transparent!`}
      >
        Clear all
      </button>
    </fieldset>
  )
}

interface ChipProps {
  name: string
  value: string
  onRemove: () => void
}

function Chip({ name, value, onRemove }: ChipProps) {
  return (
    <button
      type="button"
      onClick={onRemove}
      title={`${name}: ${value}`}
      className={`${pillClass} max-w-full min-w-0 bg-sunken pr-2!`}
    >
      <span className="sr-only">Remove the filter</span>
      <span className="shrink-0 text-ink-faint">{name}</span>
      <bdi className="min-w-0 truncate font-medium text-ink">{value}</bdi>
      <X size={14} aria-hidden className="shrink-0" />
    </button>
  )
}

const everything = { include: ['repeats', 'own', 'bots'], isExact: false } as const

/** The address has the ids of links and pages only. */
function useTargetNames(report: OpenReport): ReadonlyMap<string, string> {
  const { userId, view, selection } = report
  const target = valuesOf(view, 'target' satisfies ListDimension)
  const asked: HitSelection = { ...selection, ...everything, filters: { target } }
  const { data } = useQuery({
    ...reportQuery(userId, 'lists', 'target', asked, 50),
    enabled: target.length > 0,
  })
  return new Map(data?.rows.map((row) => [row.key, valueName('target', row)]))
}
