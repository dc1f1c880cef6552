import { Link } from '@tanstack/react-router'
import type { ClickTrend } from '#domain/reports/report-answers.ts'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import { ChangeTag } from '#web/clicks/change-tag.tsx'
import { clicksOffer } from '#web/clicks/clicks-offer.ts'
import { clicksOf } from '#web/clicks/trend-line.tsx'

const numbers = new Intl.NumberFormat()

export interface RowFiguresProps {
  /** All clicks. Null when the plan does not show them. */
  count: number | null
  /** Undefined while the plan is not known yet. */
  canViewClicks: boolean | undefined
  /** Undefined while it is loading. */
  trend: ClickTrend | undefined
}

/** All clicks of a link; nothing where the plan offers them. */
export function RowCount({ count, canViewClicks }: Omit<RowFiguresProps, 'trend'>) {
  if (canViewClicks === undefined)
    return <span aria-hidden className="h-5 w-10 rounded-md bg-sunken" />
  // The server masks the count when the plan doesn't show it, even if this screen's plan is outdated.
  if (!canViewClicks || count === null) return null
  return (
    <span title="All-time" className="shrink-0 text-right whitespace-nowrap">
      <span className="font-mono text-sm font-medium text-ink tabular-nums in-data-off:text-ink-faint">
        {numbers.format(count)}
      </span>{' '}
      <span className="text-xs text-ink-faint">{count === 1 ? 'click' : 'clicks'}</span>
    </span>
  )
}

/** Clicks of the last 30 days with their trend, or the offer of a plan that shows them. */
export function RowRecent({ count, canViewClicks, trend }: RowFiguresProps) {
  if (canViewClicks === undefined) return null
  if (!canViewClicks || count === null) return <ClicksOffer />
  // Its line is there from the start, so that nothing moves when it comes.
  if (trend === undefined) return <span aria-hidden className="h-[1.15rem]" />
  const recent = clicksOf(trend)
  return (
    <span className="shrink-0 text-right text-xs whitespace-nowrap text-ink-faint tabular-nums">
      {numbers.format(recent)} in 30 days
      {recent === 0 && trend.before === 0 ? null : (
        <ChangeTag
          now={recent}
          before={trend.before}
          than="the 30 days before"
          className="ml-1.5"
        />
      )}
    </span>
  )
}

function ClicksOffer() {
  if (!useRights()('owner')) return null
  return (
    <Link
      to={routes.upgrade.path}
      title={clicksOffer}
      className="relative z-[1] inline-flex shrink-0 items-center text-xs font-medium whitespace-nowrap text-ink-soft underline decoration-line underline-offset-4 transition-colors duration-150 hover:text-ink pointer-coarse:-my-3 pointer-coarse:min-h-11 xl:min-h-8 xl:rounded-full xl:border xl:border-line xl:px-3 xl:no-underline xl:hover:border-edge"
    >
      {clicksOffer}
    </Link>
  )
}
