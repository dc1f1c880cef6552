import type { ReactNode } from 'react'

/** Page column: in the middle of the window; beside the sidebar its left edge stays where it is. */
export const columnClass =
  'mx-auto w-full max-w-[1240px] px-4 in-data-member:mx-0 sm:px-6 rail:px-9'

interface ScreenProps {
  title: ReactNode
  /** Beside the title: how many there are. */
  count?: ReactNode
  intro?: ReactNode
  /** Above the title, for example the way back. */
  before?: ReactNode
  /** At the right end of the title's line; on phones below the title where they do not fit beside it. */
  actions?: ReactNode
  /** Forms and texts are easier to read in a narrow column; the left edge stays. */
  narrow?: boolean
  children: ReactNode
}

/** The frame of a screen: the title row, with room at its right end for the theme and the menu, and the content. */
export function Screen({ title, count, intro, before, actions, narrow, children }: ScreenProps) {
  // Otherwise the theme and the menu are in the line above the title.
  const isUnderHeader = before === undefined || before === null
  return (
    <div className={`${columnClass} pt-5 pb-16 rail:pt-6`}>
      {before}
      <div
        className={`flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 rail:flex-nowrap ${isUnderHeader ? 'rail:pr-24' : ''}`}
      >
        <div className="flex min-w-0 items-baseline gap-3">
          <h1 className="text-3xl font-semibold tracking-[-0.02em] text-balance">{title}</h1>
          {count === undefined ? null : (
            <span className="text-ink-faint tabular-nums">{count}</span>
          )}
        </div>
        {actions === undefined ? null : <div className="max-w-full shrink-0">{actions}</div>}
      </div>
      {intro === undefined ? null : (
        <p className="mt-1 max-w-2xl text-ink-soft text-pretty">{intro}</p>
      )}
      <div className={`mt-6 ${narrow === true ? 'max-w-3xl' : ''}`}>{children}</div>
    </div>
  )
}
