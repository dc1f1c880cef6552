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
  /** Below the title: at the right end of the intro's line, on phones under it; without an intro, on phones beside the title. */
  actions?: ReactNode
  /** Forms and texts are easier to read in a narrow column; the left edge stays. */
  narrow?: boolean
  children: ReactNode
}

/** The frame of a screen: the title row, with room at its right end for the theme and the menu, and the content. */
export function Screen({ title, count, intro, before, actions, narrow, children }: ScreenProps) {
  return (
    <div className={`${columnClass} pt-5 pb-16 rail:pt-6`}>
      {before}
      <div
        className={
          intro === undefined
            ? 'max-rail:flex max-rail:flex-wrap max-rail:items-center max-rail:justify-between max-rail:gap-x-4'
            : ''
        }
      >
        <div className="flex min-h-10 items-center rail:pr-24">
          <div className="flex min-w-0 items-baseline gap-3">
            <h1 className="text-3xl font-semibold tracking-[-0.02em] text-balance">{title}</h1>
            {count === undefined ? null : (
              <span className="text-ink-faint tabular-nums">{count}</span>
            )}
          </div>
        </div>
        {intro === undefined && actions === undefined ? null : (
          <div className="mt-1.5 flex min-w-0 flex-wrap items-start justify-between gap-x-6 gap-y-3 rail:flex-nowrap">
            {intro === undefined ? null : (
              <p className="max-w-2xl text-ink-soft text-pretty">{intro}</p>
            )}
            {actions === undefined ? null : <div className="shrink-0 rail:ml-auto">{actions}</div>}
          </div>
        )}
      </div>
      <div className={`mt-6 ${narrow === true ? 'max-w-3xl' : ''}`}>{children}</div>
    </div>
  )
}
