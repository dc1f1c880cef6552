import { each, failed, type Tally } from './each.ts'
import { asBilling, type BillingParts } from './parts.ts'
import { syncCustomer } from './sync.ts'

/** Customers that no event spoke of for a day, per run. */
const most = 200

/** Those whose paid time ran out come first: for them something should have come. The others by chance, so that none that cannot be read keeps the rest waiting. */
export async function readStale(parts: BillingParts, tally: Tally): Promise<void> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ customer_id: string }>(
      `select customer_id from app.billing_customers
        where provider = $1 and cancelled_at is null
          and (synced_at is null or synced_at < app.billing_now() - interval '24 hours'
            or (plan <> 'free' and period_end < app.billing_now() and synced_at < period_end))
        order by (plan <> 'free' and period_end < app.billing_now() and synced_at < period_end) desc nulls last,
          random() limit $2`,
      [parts.provider, most],
    ),
  )
  await each(parts, rows, async ({ customer_id }) => {
    try {
      if ((await syncCustomer(parts, customer_id)).changed) tally.drift++
    } catch (error) {
      failed(parts, tally, customer_id, error)
    }
  })
}

/** Paid time that ended more than a day ago, and no answer of the provider since: such a person counts as free. */
export async function endUnread(parts: BillingParts, tally: Tally): Promise<void> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ customer_id: string }>(
      `with ended as (
        update app.billing_customers set plan = 'free' where provider = $1 and plan <> 'free'
          and period_end < app.billing_now() - interval '24 hours' and synced_at < period_end
        returning customer_id, user_id
      ), lowered as (
        update app.user_plans l set plan_type = 'free' from ended where l.user_id = ended.user_id
      )
      select customer_id from ended`,
      [parts.provider],
    ),
  )
  for (const { customer_id } of rows)
    parts.log.warn({ customer: customer_id }, 'the paid time ended and nothing was heard: free')
  tally.drift += rows.length
}
