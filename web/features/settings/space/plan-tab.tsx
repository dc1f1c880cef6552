import { Link } from '@tanstack/react-router'
import { planOffers, uncheckedPlan } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { usePlan } from '#web/plan/plan.ts'
import { buttonClass } from '#web/ui/button.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { SettingsSkeleton } from '../settings-skeleton.tsx'
import type { SpaceTabProps } from './space-queries.ts'

/** The plan of the space, and the way to another one. */
export function PlanTab({ userId }: SpaceTabProps) {
  const current = usePlan(userId)
  if (current === undefined) return <SettingsSkeleton tab="webhooks" />
  const { plan, limits, standing } = current
  return (
    <SettingsSection title="Plan" intro="The space has its own plan and invoices.">
      <p className="text-lg font-semibold">
        {planOffers[plan].name}
        {standing === 'checked' ? null : (
          <span className="ml-2 text-sm font-normal text-ink-soft">{uncheckedPlan}</span>
        )}
      </p>
      <p className="mt-1 text-ink-soft">
        {limits.members} seats, {limits.shortenedUrls} links{' '}
        {limits.limitType === 'daily' ? 'a day' : 'in all'}
      </p>
      <Link to={routes.upgrade.path} className={`${buttonClass('ink')} mt-5`}>
        {plan === 'business' ? 'Manage Plan' : 'See the Plans'}
      </Link>
    </SettingsSection>
  )
}
