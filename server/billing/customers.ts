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
    db.query<{ email: string }>('select email from app.profiles where id = $1', [userId]),
  )
  const email = rows[0]?.email
  if (email === undefined) throw billingErrors.accountGone()
  // The same key with another address would be refused.
  const hash = createHash('sha256').update(email).digest('hex').slice(0, 16)
  const customer = await parts.stripe.customers.create(
    { email, metadata: { hoplet_user_id: userId } },
    { idempotencyKey: `hoplet-customer-${userId}-${hash}` },
  )
  await asBilling(parts, (db) =>
    db.query(
      `insert into app.billing_customers (provider, customer_id, user_id, account_id)
        select $1, $2, p.id, p.id from app.profiles p where p.id = $3 on conflict do nothing`,
      [parts.provider, customer.id, userId],
    ),
  )
  const bound = await findCustomer(parts, userId)
  if (!bound) throw billingErrors.accountGone()
  return bound
}
