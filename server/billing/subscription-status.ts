import { type Plan, planOf } from '#domain/plans.ts'
import type { Database } from '../postgres/database.ts'
import { queryAs } from '../postgres/rows.ts'
import { isPaying } from './plan-decision.ts'
import { type PaymentSettings, planOfPrice, pricesOf } from './settings.ts'

/** The response of check-subscription. */
export interface SubscriptionStatus {
  /** A subscription is being paid for. */
  subscribed: boolean
  /** The plan in force: an admin may have set another plan than the paid one. */
  plan: Plan
  /** ISO 8601: when the paid period ends or renews; null when not subscribed. */
  subscription_end: string | null
  /** The plan that is paid for; like the two fields below, only when subscribed. */
  paid_plan?: Plan
  /** True while its payment is disputed or unclear, so that it gives no plan. */
  on_hold?: boolean
  cancel_at_period_end?: boolean
  /** The plan that was bought with play money and ended when play money was turned off; only while the plan is free. */
  voided_plan?: Plan
}

interface Row {
  plan_type: string
  given: string | null
  voided_plan: Plan | null
  status: string | null
  price_id: string | null
  period_end: Date | null
  cancel_at_period_end: boolean | null
}

/** Reads only our own tables; no provider is asked. */
export async function readSubscriptionStatus(
  database: Database,
  payments: PaymentSettings | undefined,
  userId: string,
): Promise<SubscriptionStatus> {
  const [row] = await queryAs<Row>(
    database,
    { role: 'hoplet_billing', readOnly: true },
    `select app.plan_of(l.user_id) as plan_type, c.plan as given, c.status, c.price_id, c.period_end, c.cancel_at_period_end,
        (select v.voided_plan from app.billing_customers v
          where v.user_id = l.user_id and v.provider = 'play_money') as voided_plan
      from app.user_plans l
        left join app.billing_customers c on c.user_id = l.user_id and c.provider = $2
      where l.user_id = $1`,
    [userId, payments?.provider],
  )
  const plan = planOf(row?.plan_type)
  const paid = payments && row && planOfPrice(pricesOf(payments), row.price_id)
  if (!paid || row.status === null || !isPaying(row.status))
    return {
      subscribed: false,
      plan,
      subscription_end: null,
      ...(plan === 'free' && row?.voided_plan && { voided_plan: row.voided_plan }),
    }
  return {
    subscribed: true,
    plan,
    subscription_end: row.period_end?.toISOString() ?? null,
    paid_plan: paid,
    on_hold: row.given === 'free',
    cancel_at_period_end: row.cancel_at_period_end === true,
  }
}
