import { type BillingDeps, queryBilling } from './deps.ts'
import { billingErrors } from './errors.ts'
import type { PayingAccount } from './provider.ts'
import { orThrow } from '../primitives/or-throw.ts'

/** The customer that a person is at the provider, with the latest checkout. */
export interface CustomerRow {
  customer_id: string
  checkout_attempt: number
  /** Null between the decision for a new checkout and the provider's response. */
  checkout_session_id: string | null
  checkout_price_id: string | null
  user_id: string
  /** The plan in force. */
  plan_type: string | null
}

export async function findCustomer(
  deps: BillingDeps,
  userId: string,
): Promise<CustomerRow | undefined> {
  const [customer] = await queryBilling<CustomerRow>(
    deps,
    `select customer_id, checkout_attempt, checkout_session_id, checkout_price_id, user_id, plan_type
      from app.billing_customers left join app.user_plans using (user_id) where provider = $1 and user_id = $2`,
    userId,
  )
  return customer
}

/**
 * Binds the person to a customer before anything can be paid, so that every payment has an owner. Parallel calls bind
 * one customer: the provider creates one, and the table has one row per person.
 */
export async function bindCustomer(deps: BillingDeps, userId: string): Promise<CustomerRow> {
  const [found] = await queryBilling<Omit<PayingAccount, 'userId'>>(
    deps,
    `select coalesce(p.email, app.space_mailbox(p.id)) as email, array(select c.customer_id from app.billing_customers c
        where c.provider = $1 and c.account_id = p.id and c.user_id is null) as "releasedCustomers"
      from app.profiles p where p.id = $2`,
    userId,
  )
  const account = orThrow(found, billingErrors.accountGone)
  const customerId = await deps.provider.ensureCustomer({ userId, ...account })
  await queryBilling(
    deps,
    `insert into app.billing_customers (provider, customer_id, user_id, account_id)
      select $1, $2, p.id, p.id from app.profiles p where p.id = $3 on conflict do nothing`,
    customerId,
    userId,
  )
  return orThrow(await findCustomer(deps, userId), billingErrors.accountGone)
}

/** Unbinds a customer that the provider no longer knows: nothing is paid there. */
export async function releaseCustomer(deps: BillingDeps, customerId: string): Promise<void> {
  await queryBilling(
    deps,
    `with released as (
      update app.billing_customers c set user_id = null, plan = 'free', canceled_at = now()
        from app.billing_customers before
        where before.provider = c.provider and before.customer_id = c.customer_id
          and c.provider = $1 and c.customer_id = $2
        returning before.user_id, before.plan
    )
    update app.user_plans l set plan_type = 'free' from released r
      where l.user_id = r.user_id and r.plan <> 'free'`,
    customerId,
  )
}
