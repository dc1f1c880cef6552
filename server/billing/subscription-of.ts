import { type Plan, planOf as planNamed } from '#domain/plans.ts'
import type { Database } from '../postgres/database.ts'
import { isPaying } from './plan-of.ts'
import { type PaymentSettings, planOfPrice, pricesOf } from './settings.ts'

/** What check-subscription answers. */
export interface Subscription {
  /** A subscription is being paid for. */
  subscribed: boolean
  /** The plan in force: an admin can have set another one than is paid for. */
  plan: Plan
  /** ISO 8601: when the paid time ends or is paid for anew; null when not subscribed. */
  subscription_end: string | null
  /** The plan that is paid for; only when subscribed, as the two below. */
  paid_plan?: Plan
  /** True while its payment is disputed or in doubt, so that it gives no plan. */
  on_hold?: boolean
  cancel_at_period_end?: boolean
}

interface Row {
  plan_type: string
  given: string | null
  status: string | null
  price_id: string | null
  period_end: Date | null
  cancel_at_period_end: boolean | null
}

/** From our own tables alone: no provider is asked. */
export async function readSubscription(
  database: Database,
  payments: PaymentSettings | undefined,
  userId: string,
): Promise<Subscription> {
  const { rows } = await database.transactionAs({ role: 'hoplet_billing', readOnly: true }, (db) =>
    db.query<Row>(
      `select l.plan_type, c.plan as given, c.status, c.price_id, c.period_end, c.cancel_at_period_end
        from app.user_plans l
          left join app.billing_customers c on c.user_id = l.user_id and c.provider = $2
        where l.user_id = $1`,
      [userId, payments?.provider ?? null],
    ),
  )
  const row = rows[0]
  const plan = planNamed(row?.plan_type)
  const paid = payments && row && planOfPrice(pricesOf(payments), row.price_id)
  if (!paid || row.status === null || !isPaying(row.status))
    return { subscribed: false, plan, subscription_end: null }
  return {
    subscribed: true,
    plan,
    subscription_end: row.period_end?.toISOString() ?? null,
    paid_plan: paid,
    on_hold: row.given === 'free',
    cancel_at_period_end: row.cancel_at_period_end === true,
  }
}
