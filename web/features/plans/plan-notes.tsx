import type { ReactNode } from 'react'
import type { Plan } from '#domain/plans.ts'
import { upgradeTexts } from '#domain/texts.ts'
import type { Subscription } from '#web/plan/subscription.ts'

/** Notes on the card of a plan about the person's own subscription. */
export function planNotes(plan: Plan, subscription: Subscription | undefined): ReactNode[] {
  if (subscription === undefined) return []
  if (!subscription.is_checked) return plan === subscription.plan ? [upgradeTexts.notChecked] : []
  const { paid_plan, subscription_end, on_hold, cancel_at_period_end } = subscription
  if (plan === 'free' && subscription.is_play_money_void) return [upgradeTexts.playMoneyVoid]
  if (plan !== paid_plan)
    return plan === subscription.plan && plan !== 'free' ? [upgradeTexts.given] : []
  const notes: ReactNode[] = []
  if (on_hold) notes.push(upgradeTexts.onHold)
  else if (plan !== subscription.plan) notes.push(upgradeTexts.otherPlanSet)
  if (subscription_end !== null) {
    const when = <time dateTime={subscription_end}>{date.format(new Date(subscription_end))}</time>
    notes.push(
      cancel_at_period_end ? (
        <>The period that you have paid for ends on {when}.</>
      ) : (
        <>Your subscription renews on {when}.</>
      ),
    )
  }
  return notes
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
