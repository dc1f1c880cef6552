import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { planLimits, planOffers, uncheckedPlan } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { useRights } from '#web/session/space/rights.ts'
import { type CurrentPlan, usePlan } from '#web/plan/plan.ts'
import type { UsageRow } from '#web/api/database.ts'
import { nothingUsed, usageQuery } from '#web/plan/usage.ts'
import { Button } from '#web/ui/button.tsx'
import { neverResets, resetTime } from '#web/plan/usage-reset.ts'

/** The plan of the account: how much of it is used, over a lifetime or today, the rest, and the time of its reset. */
export function UsageCard({ userId }: { userId: string }) {
  const current = usePlan(userId)
  const usage = useQuery(usageQuery(userId))

  if (usage.isError) {
    return (
      <section className="flex items-center justify-between gap-4 rounded-2xl border border-line px-5 py-4 text-sm">
        <p role="alert" className="text-ink-soft">
          Your usage could not be loaded.
        </p>
        <Button size="small" onClick={() => void usage.refetch()}>
          Try Again
        </Button>
      </section>
    )
  }
  if (current === undefined || usage.data === undefined) return <UsageSkeleton />
  return (
    <section
      aria-label="Plan and usage"
      className="rounded-2xl border border-line px-5 py-4 sm:px-6"
    >
      <Usage {...current} used={usage.data} at={usage.dataUpdatedAt} />
    </section>
  )
}

/** As high as the card: it has the card's own content, unseen. */
export function UsageSkeleton() {
  return (
    <div
      aria-hidden
      inert
      className="animate-pulse rounded-2xl border border-transparent bg-sunken px-5 py-4 *:invisible sm:px-6"
    >
      <Usage plan="free" standing="checked" used={nothingUsed} at={0} />
    </div>
  )
}

interface UsageProps extends Pick<CurrentPlan, 'plan' | 'standing'> {
  used: UsageRow
  /** When it was read, in milliseconds since 1970. */
  at: number
}

function Usage({ plan, standing, used, at }: UsageProps) {
  const limits = planLimits[plan]
  const isOwner = useRights()('owner')
  const daily = limits.limitType === 'daily'
  return (
    <>
      <div className="flex items-center justify-between gap-3">
        <h2 className="font-semibold">
          {planOffers[plan].name} plan
          <span className="ml-2 font-normal text-ink-faint">
            {standing !== 'checked' ? uncheckedPlan : daily ? 'today' : 'in total'}
          </span>
        </h2>
        {plan === 'business' || standing === 'unknown' || !isOwner ? null : (
          <Link
            to={routes.upgrade.path}
            className="rounded-full py-2 text-sm font-medium text-accent-text underline-offset-4 hover:underline"
          >
            Upgrade
          </Link>
        )}
      </div>
      <dl className="mt-3 grid gap-x-5 gap-y-3.5 sm:auto-cols-fr lg:gap-x-8 sm:grid-flow-col">
        <Meter
          name="Custom codes"
          used={daily ? used.daily_custom_codes : used.total_custom_codes}
          limit={limits.customCodes}
        />
        <Meter
          name="Shortened URLs"
          used={daily ? used.daily_shortened_urls : used.total_shortened_urls}
          limit={limits.shortenedUrls}
        />
        {limits.qrCodes === 0 ? null : (
          <Meter name="QR codes" used={used.daily_qr_codes} limit={limits.qrCodes} />
        )}
      </dl>
      <p className="mt-4 border-t border-line pt-3 text-sm text-ink-faint">
        {daily ? `Resets ${resetTime(at)}.` : neverResets}
      </p>
    </>
  )
}

function Meter({ name, used, limit }: { name: string; used: number; limit: number }) {
  const full = used >= limit
  return (
    <div className="text-sm">
      <dt className="float-left text-ink-soft">{name}</dt>
      <dd>
        <span
          className={`block text-right font-mono tabular-nums ${full ? 'text-accent-text' : ''}`}
        >
          {used} / {limit}
        </span>
        <span aria-hidden className="mt-2 block h-1.5 overflow-hidden rounded-full bg-sunken">
          <span
            className={`block h-full rounded-full ${full ? 'bg-accent' : 'bg-ink'}`}
            style={{ width: `${Math.min(100, (used / limit) * 100)}%` }}
          />
        </span>
        <span className="mt-1.5 block text-ink-faint tabular-nums">
          {Math.max(0, limit - used)} left
        </span>
      </dd>
    </div>
  )
}
