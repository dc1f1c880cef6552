import { useNavigate } from '@tanstack/react-router'
import { planOffers, plans, type Plan } from '#domain/plans.ts'
import { routes } from '#domain/routes.ts'
import { site } from '#web/site.ts'
import { Button } from '#web/ui/button.tsx'
import type { PaymentPage } from './payment-page.ts'

interface PlanActionProps {
  plan: Plan
  /** Undefined for signed-out people. */
  current: Plan | undefined
  /** The plan of a live subscription; null without any. */
  paid: Plan | null
  payment: PaymentPage
}

/** Whether the current plan has its mark in the place of a button: it is in force without being paid for. */
export function isMarkedInPlace(plan: Plan, current: Plan | undefined, paid: Plan | null): boolean {
  return site.payments !== 'none' && plan === current && plan !== paid
}

/** Three columns of a small window are narrower than the words of some buttons with their usual padding. */
const narrow = 'px-1! whitespace-normal! rail:max-lg:text-xs!'

/** The action of a person on the plan `current` about another: begin, go up, manage the paid plan, or nothing. */
export function PlanAction({ plan, current, paid, payment }: PlanActionProps) {
  const navigate = useNavigate()
  const { name } = planOffers[plan]

  function signIn() {
    const search = { next: routes.upgrade.path }
    void navigate({ to: routes.auth.path, search, state: { returnsBack: true } })
  }

  if (plan === 'free' && current === undefined) {
    return (
      <Button
        className={narrow}
        onClick={() => void navigate({ to: routes.auth.path, search: { mode: 'sign-up' } })}
      >
        Get Started
      </Button>
    )
  }
  if (site.payments === 'none') return null
  const isPaid = plan === paid
  // There is nothing to manage.
  if (isMarkedInPlace(plan, current, paid))
    return (
      <p className="grid h-11 place-items-center rounded-xl bg-sunken text-sm font-medium">
        Current Plan
      </p>
    )
  if (current !== undefined && plans.indexOf(plan) <= plans.indexOf(paid ?? current)) {
    if (paid === null) return null
    return (
      <Button
        look={isPaid ? 'plain' : 'quiet'}
        className={narrow}
        busy={payment.busy !== undefined}
        onClick={() => payment.manage(plan)}
      >
        {payment.busy === plan
          ? 'Please wait...'
          : isPaid
            ? 'Manage Subscription'
            : `Downgrade to ${name}`}
      </Button>
    )
  }
  return (
    <Button
      look={plan === 'pro' || current === 'pro' ? 'accent' : 'plain'}
      className={narrow}
      busy={payment.busy !== undefined}
      onClick={() => {
        if (current === undefined) signIn()
        else if (plan !== 'free') payment.checkOut(plan)
      }}
    >
      {payment.busy === plan ? 'Please wait...' : `Upgrade to ${name}`}
    </Button>
  )
}

/** A placeholder of a button's height, for cards that wait for theirs. */
export function NoAction() {
  return site.payments === 'none' ? null : <div aria-hidden className="h-11 max-rail:hidden" />
}
