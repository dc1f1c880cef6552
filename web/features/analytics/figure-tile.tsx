import { CircleHelp } from 'lucide-react'
import type { ReactNode } from 'react'

interface FigureTileProps {
  name: string
  /** Undefined while loading. */
  value: string | undefined
  /** In full, where the value is shortened. */
  title: string | undefined
  onExplain: () => void
  /** Beside the value: how it has changed. */
  children: ReactNode
}

/** One of the totals, which explains itself. */
export function FigureTile({ name, value, title, onExplain, children }: FigureTileProps) {
  return (
    <div className="min-w-0 px-3 py-3 @4xl:px-5 @max-xl:px-4">
      <dt>
        <button
          type="button"
          disabled={value === undefined}
          title="Explain this number"
          aria-label={`${name}. Explain this number`}
          onClick={onExplain}
          className="group -mx-1.5 flex min-h-7 items-center gap-1 rounded-md whitespace-nowrap px-1.5 text-left text-sm text-ink-soft hover:text-ink pointer-coarse:min-h-11"
        >
          {name}
          <CircleHelp
            size={13}
            aria-hidden
            className="shrink-0 text-ink-faint opacity-60 group-hover:opacity-100"
          />
        </button>
      </dt>
      <dd className="flex min-h-10 flex-wrap items-baseline gap-x-2 @xl:@max-4xl:min-h-14 @xl:@max-4xl:flex-col">
        {value === undefined ? (
          <span aria-hidden className="mt-1 h-7 w-16 animate-pulse rounded-md bg-sunken" />
        ) : (
          <>
            <span
              title={title}
              className="text-xl leading-9 font-semibold tracking-tight tabular-nums @4xl:text-3xl @4xl:leading-9 @max-xl:[div:first-child>*>&]:text-3xl @max-xl:[div:first-child>*>&]:leading-9"
            >
              {value}
            </span>
            {children}
          </>
        )}
      </dd>
    </div>
  )
}
