import { usePlan } from '#web/plan/plan.ts'
import { momentOf, shortMoment } from '#web/ui/time-words.ts'
import type { LinkRow } from '#web/database.ts'

const numbers = new Intl.NumberFormat()

/** How often the link was clicked in all, where the plan shows it; the report below has the rest. */
export function LinkClicks({ link, userId }: { link: LinkRow; userId: string }) {
  const plan = usePlan(userId)
  const { click_count: count, first_click_at: first, last_click_at: last } = link
  if (plan === undefined)
    return (
      <div
        aria-hidden
        className="h-6 w-64 max-w-full animate-pulse rounded-md bg-sunken max-sm:h-11"
      />
    )
  if (!plan.limits.canViewClicks || count === null)
    return (
      <p className="min-h-6 text-sm text-ink-faint max-sm:min-h-11">
        Clicks are recorded on every plan.
      </p>
    )
  return (
    <dl className="flex min-h-6 flex-wrap content-start max-sm:min-h-11 items-baseline gap-x-6 gap-y-1 text-sm">
      <div className="flex items-baseline gap-1.5">
        <dt className="text-ink-faint">Clicks in all</dt>
        <dd className="font-mono font-medium tabular-nums">{numbers.format(count)}</dd>
      </div>
      {count === 0 ? null : (
        <>
          <ClickDate name="First click" at={first} />
          <ClickDate name="Last click" at={last} />
        </>
      )}
    </dl>
  )
}

/** Dates of clicks that were counted before dates were kept are not known. */
function ClickDate({ name, at }: { name: string; at: string | null }) {
  return (
    <div className="flex gap-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd>
        {at === null ? (
          'not recorded'
        ) : (
          <time dateTime={at} title={momentOf(at)}>
            {shortMoment(at)}
          </time>
        )}
      </dd>
    </div>
  )
}
