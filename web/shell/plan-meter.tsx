import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { planOffers, uncheckedPlan } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import { usePlan } from '#web/plan/plan.ts'
import { hoursToReset, neverResets, resetTime } from '#web/plan/usage-reset.ts'
import { usageQuery } from '#web/plan/usage.ts'

/** The plan in the sidebar: the rest of its limit, the time of its reset, and one way up. */
export function PlanMeter({ userId }: { userId: string }) {
  const may = useRights()
  const current = usePlan(userId)
  const { data: used, dataUpdatedAt } = useQuery(usageQuery(userId))
  // Its room is kept, so that nothing moves when the answers come.
  if (current === undefined || used === undefined)
    return <div aria-hidden className="h-[6.75rem] rounded-2xl border border-line" />

  const { plan, limits, standing } = current
  const isDaily = limits.limitType === 'daily'
  const count = isDaily ? used.daily_shortened_urls : used.total_shortened_urls
  const share = Math.min(1, count / limits.shortenedUrls)
  return (
    <div className="min-h-[6.75rem] rounded-2xl border border-line bg-surface p-3 text-xs">
      <p className="flex justify-between gap-2">
        <strong className="font-semibold">{planOffers[plan].name}</strong>
        <span
          className="text-ink-soft"
          title={isDaily ? `Resets ${resetTime(dataUpdatedAt)}.` : neverResets}
        >
          {standing !== 'checked'
            ? uncheckedPlan
            : isDaily
              ? `resets in ${hoursToReset(dataUpdatedAt)} h`
              : 'lifetime limit'}
        </span>
      </p>
      <div aria-hidden className="my-2 h-1 overflow-hidden rounded-full bg-sunken">
        <div
          className={`h-full rounded-full ${share === 1 ? 'bg-accent' : 'bg-ink'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
      <p className="text-ink-soft tabular-nums">
        {Math.max(0, limits.shortenedUrls - count)} of {limits.shortenedUrls} links left
        {isDaily ? ' today' : ''}
      </p>
      {standing === 'unknown' || !may('owner') ? null : (
        <Link
          to={routes.upgrade.path}
          className="mt-1.5 inline-block font-semibold text-accent-text underline-offset-4 hover:underline"
        >
          {plan === 'free' ? 'Go Pro' : plan === 'pro' ? 'Go Business' : 'Manage plan'}
        </Link>
      )}
    </div>
  )
}
