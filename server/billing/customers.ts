import { createHash } from 'node:crypto'
import { billingErrors } from './errors.ts'
import { asBilling, type BillingParts } from './parts.ts'

/** The customer that a person is at the provider, with the checkout that was begun last. */
export interface CustomerRow {
  customer_id: string
  checkout_attempt: number
  /** Null between the decision for a new checkout and the provider's answer. */
  checkout_session_id: string | null
  checkout_price_id: string | null
}

/** Only ever the person's own. */
export async function findCustomer(
  parts: BillingParts,
  userId: string,
): Promise<CustomerRow | undefined> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<CustomerRow>(
      `select customer_id, checkout_attempt, checkout_session_id, checkout_price_id from app.billing_customers
        where provider = $1 and user_id = $2`,
      [parts.provider, userId],
    ),
  )
  return rows[0]
}

export async function isOurCustomer(parts: BillingParts, customerId: string): Promise<boolean> {
  const { rows } = await asBilling(parts, (db) =>
    db.query('select from app.billing_customers where provider = $1 and customer_id = $2', [
      parts.provider,
      customerId,
    ]),
  )
  return rows.length > 0
}

/**
 * Makes the person a customer before anything can be paid, so that whatever is paid has an owner. Called twice at once it
 * makes one customer: the provider knows the key, and the table has one row for each person.
 */
export async function bindCustomer(parts: BillingParts, userId: string): Promise<CustomerRow> {
  const { rows } = await asBilling(parts, (db) =>
    db.query<{ email: string; earlier: string[] }>(
      `select p.email, array(select c.customer_id from app.billing_customers c
          where c.provider = $2 and c.account_id = p.id and c.user_id is null) as earlier
        from app.profiles p where p.id = $1`,
      [userId, parts.provider],
    ),
  )
  const row = rows[0]
  if (!row) throw billingErrors.accountGone()
  const customer =
    (await knownThere(parts, userId, row)) ?? (await createCustomer(parts, userId, row))
  await asBilling(parts, (db) =>
    db.query(
      `insert into app.billing_customers (provider, customer_id, user_id, account_id)
        select $1, $2, p.id, p.id from app.profiles p where p.id = $3 on conflict do nothing`,
      [parts.provider, customer, userId],
    ),
  )
  const bound = await findCustomer(parts, userId)
  if (!bound) throw billingErrors.accountGone()
  return bound
}

interface Person {
  email: string
  /** Customers of the same account that were let go; the one that another call bound a moment ago is none of them. */
  earlier: string[]
}

/** Our tables may be older than the provider's: who was bound before a backup was put back has paid as that customer. */
async function knownThere(
  { stripe }: BillingParts,
  userId: string,
  { email, earlier }: Person,
): Promise<string | undefined> {
  const { data } = await stripe.customers.list({ email, limit: 100 })
  return data.find(
    ({ id, metadata }) => metadata['hoplet_user_id'] === userId && !earlier.includes(id),
  )?.id
}

async function createCustomer(
  { stripe }: BillingParts,
  userId: string,
  { email, earlier }: Person,
): Promise<string> {
  // The same key with another address would be refused, and after a deletion it would name the deleted one.
  const print = createHash('sha256')
    .update(JSON.stringify([email, earlier]))
    .digest('hex')
  const customer = await stripe.customers.create(
    { email, metadata: { hoplet_user_id: userId } },
    { idempotencyKey: `hoplet-customer-${userId}-${print.slice(0, 16)}` },
  )
  return customer.id
}

/** Lets go of a customer that the provider does not know any more: nothing is paid there. */
export async function releaseCustomer(parts: BillingParts, customerId: string): Promise<void> {
  await asBilling(parts, (db) =>
    db.query(
      `with released as (
        update app.billing_customers c set user_id = null, plan = 'free', cancelled_at = now()
          from app.billing_customers before
          where before.provider = c.provider and before.customer_id = c.customer_id
            and c.provider = $1 and c.customer_id = $2
          returning before.user_id, before.plan
      )
      update app.user_plans l set plan_type = 'free' from released r
        where l.user_id = r.user_id and r.plan <> 'free'`,
      [parts.provider, customerId],
    ),
  )
}
