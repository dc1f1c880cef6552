import { Check } from 'lucide-react'
import type { CountedKind } from '#web/clicks/report.ts'
import { pillClass } from '#web/ui/pill.ts'
import type { OpenReport } from './use-report.ts'
import { withKind } from './view-parts.ts'

const kinds: readonly { kind: CountedKind; name: string; title: string }[] = [
  {
    kind: 'repeats',
    name: 'Repeats',
    title: 'Visits within 30 minutes of the one before, by the same visitor',
  },
  { kind: 'own', name: 'Own visits', title: 'Visits from a browser in which you used Hoplet' },
  {
    kind: 'bots',
    name: 'Bots',
    title: 'Crawlers, link previews, monitors, programs and prefetches',
  },
]

/** Hits that count besides plain clicks. */
export function KindSwitches({ report: { selection, setView } }: { report: OpenReport }) {
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1.5">
      <legend className="sr-only">Count as well</legend>
      {kinds.map(({ kind, name, title }) => {
        const isOn = selection.include.includes(kind)
        return (
          <button
            key={kind}
            type="button"
            role="switch"
            aria-checked={isOn}
            title={title}
            onClick={() => setView((view) => withKind(view, kind, !isOn))}
            className={`${pillClass} border-dashed pl-2! aria-checked:border-solid aria-checked:border-edge aria-checked:text-ink`}
          >
            <span
              aria-hidden
              className={`grid size-4 place-items-center rounded-full border ${isOn ? 'border-ink bg-ink text-paper' : 'border-edge'}`}
            >
              {isOn ? <Check size={11} strokeWidth={3} /> : null}
            </span>
            {name}
          </button>
        )
      })}
    </fieldset>
  )
}
