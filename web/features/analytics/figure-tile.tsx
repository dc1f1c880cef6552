import type { ReactNode } from 'react'

interface FigureTileProps {
  name: string
  /** Undefined while loading. */
  value: string | undefined
  /** In full, where the value is shortened. */
  title?: string | undefined
  /** Beside the value, mostly its change. */
  beside?: ReactNode
  /** Below the value. */
  below: ReactNode
}

/** One of the figures of a report. */
export function FigureTile({ name, value, title, beside, below }: FigureTileProps) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-sm text-ink-soft">{name}</dt>
      <dd className="flex min-h-9 flex-wrap items-baseline gap-x-2">
        {value === undefined ? (
          <span aria-hidden className="h-6 w-16 animate-pulse self-center rounded-md bg-sunken" />
        ) : (
          <>
            <span
              title={title}
              className="text-3xl leading-9 font-semibold tracking-tight whitespace-nowrap tabular-nums @max-md:text-xl @max-md:leading-9"
            >
              {value}
            </span>
            {beside}
          </>
        )}
      </dd>
      <dd className="min-h-5 truncate text-xs text-ink-faint tabular-nums">{below}</dd>
    </div>
  )
}
