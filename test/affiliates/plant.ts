import { randomUUID } from 'node:crypto'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

type Sql = TestDatabase['sql']

/** A payer, their referrer, and the referrer's referrer. */
export interface Chain {
  payer: string
  first: string
  second: string
}

/** Creates chains of three accounts with codes and referrals. */
export async function makeChains(sql: Sql, count: number): Promise<Chain[]> {
  const chains = Array.from({ length: count }, () => ({
    payer: randomUUID(),
    first: randomUUID(),
    second: randomUUID(),
  }))
  for (const [who, age] of [
    ['second', 3],
    ['first', 2],
    ['payer', 1],
  ] as const) {
    await sql(
      `insert into auth.users (id, email, created_at)
       select id::uuid, id || '@example.com', now() - $2 * interval '100 days' from unnest($1::text[]) as id`,
      [chains.map((chain) => chain[who]), age],
    )
  }
  for (const [referred, referrer] of [
    ['payer', 'first'],
    ['first', 'second'],
  ] as const) {
    await sql(
      `insert into app.referrals (referred_user_id, referrer_user_id) select * from unnest($1::uuid[], $2::uuid[])`,
      [chains.map((chain) => chain[referred]), chains.map((chain) => chain[referrer])],
    )
  }
  await sql(
    `insert into app.affiliate_codes (user_id, code)
     select id::uuid, upper(left(md5(id), 8)) from unnest($1::text[]) as id`,
    [chains.flatMap((chain) => [chain.first, chain.second])],
  )
  return chains
}

export async function makeChain(sql: Sql): Promise<Chain> {
  const [chain] = await makeChains(sql, 1)
  if (!chain) throw new Error('no chain was made')
  return chain
}

interface NewInvoice {
  payer: string
  base?: number
  paid?: number
  /** In days; older than 30 is due. */
  age?: number
  currency?: string
  provider?: 'stripe' | 'play_money'
}

/** A paid invoice that is not settled yet. Returns its id. */
export async function makeInvoice(sql: Sql, invoice: NewInvoice): Promise<string> {
  const id = `in_${randomUUID()}`
  const base = invoice.base ?? 700
  await sql(
    `insert into app.billing_invoices (provider, invoice_id, customer_id, account_id, currency, paid_cents, base_cents, paid_at)
     values ($8, $1, $2, $3, $4, $5, $6, now() - $7 * interval '1 day')`,
    [
      id,
      `cus_${invoice.payer}`,
      invoice.payer,
      invoice.currency ?? 'usd',
      invoice.paid ?? base,
      base,
      invoice.age ?? 0,
      invoice.provider ?? 'stripe',
    ],
  )
  return id
}

export async function settle(
  sql: Sql,
  invoice: string,
  provider: NewInvoice['provider'] = 'stripe',
): Promise<void> {
  await sql(`select app.settle_invoice($2, $1)`, [invoice, provider])
}

/** A settled invoice. */
export async function payInvoice(sql: Sql, invoice: NewInvoice): Promise<string> {
  const id = await makeInvoice(sql, invoice)
  await settle(sql, id, invoice.provider)
  return id
}

/** Refunds or disputes cents of an invoice, and settles it again. */
export async function reverse(
  sql: Sql,
  invoice: string,
  what: { refunded?: number; disputed?: number },
): Promise<void> {
  await sql(
    `update app.billing_invoices set refunded_cents = coalesce($2, refunded_cents), disputed_cents = coalesce($3, disputed_cents)
     where invoice_id = $1`,
    [invoice, what.refunded, what.disputed],
  )
  await settle(sql, invoice)
}

export interface Line {
  tier: number
  kind: string
  cents: number
  status: string
}

/** The lines of an invoice, by beneficiary and time. */
export function linesOf(sql: Sql, invoice: string): Promise<Line[]> {
  return sql<{ tier: number; kind: string; cents: number; status: string }>(
    `select tier, kind, amount_cents::int as cents, status from app.commissions where invoice_id = $1
     order by tier, created_at, kind, step`,
    [invoice],
  )
}

/** Totals that differ from the ledger or the referrals. */
export function drift(sql: Sql): Promise<unknown[]> {
  return sql(`
    select a.user_id from app.affiliate_codes a
    where a.total_earnings_cents <> (select coalesce(sum(c.amount_cents), 0) from app.commissions c
        where c.affiliate_user_id = a.user_id and c.status in ('pending', 'paid'))
      or a.total_referrals <> (select count(*) from app.referrals r where r.referrer_user_id = a.user_id)
    union all
    select o.affiliate_user_id from app.payouts o
    where o.amount_cents <> (select coalesce(sum(c.amount_cents), 0) from app.commissions c where c.payout_id = o.id)`)
}

/** A database with one deliberately broken function: a thing that a test excludes must happen there. */
export async function createBrokenDatabase(
  routine: string,
  text: string,
  instead: string,
): Promise<TestDatabase> {
  const database = await createTestDatabase()
  const [found] = await database.sql<{ source: string }>(
    'select pg_get_functiondef($1::regproc) as source',
    [routine],
  )
  if (!found?.source.includes(text)) throw new Error(`${routine} has no ${text}`)
  await database.sql(found.source.replaceAll(text, instead))
  return database
}
