import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { routes } from '#domain/routes.ts'
import { Allowed } from '#web/session/space/allowed.tsx'
import { usePlan } from '#web/plan/plan.ts'
import { site } from '#web/site.ts'
import { usageQuery } from '#web/plan/usage.ts'

interface LinksLeftProps {
  userId: string
  /** How many links the form would make. */
  count: number
}

/** How many of the plan's links the form would use, before anything is sent; nothing where there are no plans. */
export function LinksLeft(props: LinksLeftProps) {
  return site.hasPlans ? <LeftOfPlan {...props} /> : null
}

function LeftOfPlan({ userId, count }: LinksLeftProps) {
  const plan = usePlan(userId)
  const { data: used } = useQuery(usageQuery(userId))
  if (plan === undefined || used === undefined) return null
  const { limits } = plan
  const isDaily = limits.limitType === 'daily'
  const taken = isDaily ? used.daily_shortened_urls : used.total_shortened_urls
  const left = Math.max(0, limits.shortenedUrls - taken)
  const when = isDaily ? ' today' : ''
  if (left < count)
    return (
      <p className="text-sm text-danger">
        {left === 0 ? 'No links' : left === 1 ? '1 link' : `Only ${left} links`} left{when}.{' '}
        <Allowed right="owner">
          <Link to={routes.upgrade.path} className="font-medium underline underline-offset-4">
            See plans
          </Link>
        </Allowed>
      </p>
    )
  return (
    <p className="text-sm text-ink-faint max-sm:hidden">
      Uses {count} of {left} {left === 1 ? 'link' : 'links'} left{when}
    </p>
  )
}
