import type Stripe from 'stripe'
import type { TestServer } from '#test/server.ts'
import type { Shop } from './shop.ts'

export interface Copy {
  userId: string
  customer: string
  /** Copies of the original's events. */
  events: Stripe.Event[]
}

/**
 * Copies a customer at the provider: its objects and events, with new ids. Our own tables know the copies as customers
 * and nothing else.
 */
export async function copyCustomer(
  { server }: Pick<Shop, 'server'>,
  customer: string,
  count: number,
): Promise<Copy[]> {
  const copies: Copy[] = []
  for (let i = 0; i < count; i++) copies.push(await copyOnce(server, customer))
  return copies
}

let next = 1

async function copyOnce(server: TestServer, customer: string): Promise<Copy> {
  const suffix = `c${next++}x`
  const copied = `${customer}${suffix}`
  await server.sql(
    `insert into stripe_stand_in.objects (id, type, customer_id, body, created_at)
      select id || $2, type, customer_id || $2, regexp_replace(body::text,
        '"((?:cus|sub|si|in|il|inpay|pi|ch|pm|re|dp|evt|cs_test)_[A-Za-z0-9]+)"', '"\\1' || $2 || '"', 'g')::jsonb, created_at
      from stripe_stand_in.objects where customer_id = $1 or id = $1 order by ordinal`,
    [customer, suffix],
  )
  const [user] = await server.sql<{ id: string }>(
    `insert into auth.users (email) values ($1 || '@example.com') returning id`,
    [suffix],
  )
  const userId = user?.id ?? ''
  await server.sql(
    `insert into app.billing_customers (provider, customer_id, user_id, account_id) values ('stripe', $1, $2, $2)`,
    [copied, userId],
  )
  const events = await server.sql<{ body: Stripe.Event }>(
    `select body from stripe_stand_in.objects where type = 'event' and customer_id = $1 order by ordinal`,
    [copied],
  )
  return { userId, customer: copied, events: events.map(({ body }) => body) }
}

/** The plan of each copy. */
export async function plansOf(
  { server }: Pick<Shop, 'server'>,
  copies: readonly Copy[],
): Promise<string[]> {
  const rows = await server.sql<{ user_id: string; plan_type: string }>(
    'select user_id, plan_type from app.user_plans where user_id = any ($1)',
    [copies.map(({ userId }) => userId)],
  )
  const plans = new Map(rows.map((row) => [row.user_id, row.plan_type]))
  return copies.map(({ userId }) => plans.get(userId) ?? 'none')
}

/** Works on a few at a time. */
export async function several<T>(
  list: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const waiting = [...list.entries()]
  const worker = async () => {
    for (let each = waiting.shift(); each; each = waiting.shift()) await work(each[1], each[0])
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
