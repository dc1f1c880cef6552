import { asBilling, type BillingDeps } from './deps.ts'
import { syncCustomer } from './sync-customer.ts'
import { countFailure, forEachCustomer, type Tally } from './tally.ts'

const maxCustomersPerRun = 200

/**
 * Reads customers that no event has named for a day. Those whose paid period has ended come first: an event is overdue.
 * The rest are picked at random, so that unreadable ones never block the others.
 */
export async function readStaleCustomers(deps: BillingDeps, tally: Tally): Promise<void> {
  const { rows } = await asBilling(deps, (db) =>
    db.query<{ customer_id: string }>(
      `select customer_id from app.billing_customers
        where provider = $1 and canceled_at is null
          and (synced_at is null or synced_at < now() - interval '24 hours'
            or (plan <> 'free' and period_end < now() and synced_at < period_end))
        order by (plan <> 'free' and period_end < now() and synced_at < period_end) desc nulls last,
          random() limit $2`,
      [deps.provider.name, maxCustomersPerRun],
    ),
  )
  await forEachCustomer(deps, rows, async ({ customer_id }) => {
    try {
      if ((await syncCustomer(deps, customer_id)).changed) tally.drift++
    } catch (error) {
      countFailure(deps, tally, customer_id, error)
    }
  })
}

/** Ends plans whose paid period ended more than a day ago without any news from the provider since. */
export async function endUnreadPlans(deps: BillingDeps, tally: Tally): Promise<void> {
  const { rows } = await asBilling(deps, (db) =>
    db.query<{ customer_id: string }>(
      `with ended as (
        update app.billing_customers set plan = 'free' where provider = $1 and plan <> 'free'
          and period_end < now() - interval '24 hours' and synced_at < period_end
        returning customer_id, user_id
      ), lowered as (
        update app.user_plans l set plan_type = 'free' from ended where l.user_id = ended.user_id
      )
      select customer_id from ended`,
      [deps.provider.name],
    ),
  )
  for (const { customer_id } of rows)
    deps.log.warn({ customer: customer_id }, 'the paid period ended without news: free')
  tally.drift += rows.length
}
