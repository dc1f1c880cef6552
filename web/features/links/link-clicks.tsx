import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'

const numbers = new Intl.NumberFormat()

export function clicksInWords(count: number): string {
  return `${numbers.format(count)} ${count === 1 ? 'click' : 'clicks'}`
}

interface RowClicksProps {
  /** Null when the plan does not show it. */
  count: number | null
  /** Undefined while the plan is not known yet. */
  canViewClicks: boolean | undefined
}

/** The clicks of a link in its row. */
export function RowClicks({ count, canViewClicks }: RowClicksProps) {
  if (canViewClicks === undefined)
    return <span aria-hidden className="h-5 w-10 rounded-md bg-sunken" />
  // The server masks the count when the plan doesn't show it, even if this screen's plan is outdated.
  if (!canViewClicks || count === null) {
    return (
      <Link
        to={routes.upgrade.path}
        title={clicksOffer}
        className="relative z-[1] inline-flex min-h-8 items-center rounded-full border border-line px-3 text-xs font-medium whitespace-nowrap text-ink-soft transition-colors duration-150 hover:border-edge hover:text-ink max-rail:w-17 max-rail:border-0 max-rail:px-0 max-rail:text-right max-rail:leading-tight max-rail:text-pretty max-rail:whitespace-normal pointer-coarse:min-h-11"
      >
        {clicksOffer}
      </Link>
    )
  }
  return (
    <span className="text-right whitespace-nowrap">
      <span className="font-mono text-sm font-medium tabular-nums">{numbers.format(count)}</span>{' '}
      <span className="text-xs text-ink-faint max-rail:block max-rail:leading-none">
        {count === 1 ? 'click' : 'clicks'}
      </span>
    </span>
  )
}
