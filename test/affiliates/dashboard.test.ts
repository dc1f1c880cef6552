import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from '#test/tables/accounts.ts'
import { makeInvoice, payInvoice, reverse, settle } from './plant.ts'

let server: TestServer
let ann: Account

interface CommissionLine {
  id: string
  created_at: string
  amount_cents: number
  invoice_ref: string
}
interface Summary {
  months: { month: string; earned_cents: number; reversed_cents: number; sign_ups: number }[]
}

beforeAll(async () => {
  server = await startTestServer()
  ann = await makeAccount(server)
})
afterAll(() => server.close())

const rpc = async <T>(who: Account | undefined, name: string, args: object = {}) => {
  const { status, body } = await send(server, who, 'POST', `rpc/${name}`, args)
  return { status, body: body as T }
}
const summaryOf = async (who: Account) => (await rpc<Summary>(who, 'affiliate_summary')).body
const linesOf = async (who: Account, args: object = {}) =>
  (await rpc<CommissionLine[]>(who, 'commission_lines', args)).body

/** The sum of the chart, which has to be the total. */
const chartTotalOf = ({ months }: Summary) =>
  months.reduce((sum, month) => sum + month.earned_cents, 0)

/** `count` accounts that the referrer brought some months ago, each on another day. */
async function bring(referrer: Account, count: number): Promise<Account[]> {
  const accounts = await makeAccounts(server, count)
  await server.sql(
    `insert into app.referrals (referred_user_id, referrer_user_id, created_at)
     select id, $2, timestamptz '2026-03-31 23:30:00Z' + n * interval '1 day' from unnest($1::uuid[]) with ordinality as t (id, n)`,
    [accounts.map(({ id }) => id), referrer.id],
  )
  return accounts
}

it.each(['affiliate_summary', 'commission_lines'])(
  '%s needs sign-in, by either method',
  async (name) => {
    expect((await rpc(undefined, name)).status).toBe(401)
    expect((await send(server, ann, 'GET', `rpc/${name}`)).status).toBe(200)
    expect((await send(server, undefined, 'GET', `rpc/${name}`)).status).toBe(401)
  },
)

it('of a new account is empty, and still has its twelve months', async () => {
  const summary = await summaryOf(ann)
  expect(summary).toMatchObject({
    pending_cents: 0,
    due_cents: 0,
    paid_cents: 0,
    held_cents: 0,
    next_due_at: null,
    next_due_cents: null,
  })
  const thisMonth = new Date().toISOString().slice(0, 7)
  expect(summary.months).toHaveLength(12)
  expect(summary.months.at(-1)).toEqual({
    month: thisMonth,
    earned_cents: 0,
    reversed_cents: 0,
    sign_ups: 0,
  })
  expect(await linesOf(ann)).toEqual([])
})

describe('of an affiliate', () => {
  let affiliate: Account
  let stranger: Account
  let invoice: string

  beforeAll(async () => {
    affiliate = await makeAccount(server)
    stranger = await makeAccount(server)
    const brought = await bring(affiliate, 3)
    const third = brought[2]
    if (!third) throw new Error('three accounts')
    const [grandchild] = await bring(third, 1)
    if (!grandchild) throw new Error('one account')
    invoice = await payInvoice(server.sql, { payer: third.id })
    await reverse(server.sql, invoice, { refunded: 350 })
    await payInvoice(server.sql, { payer: grandchild.id, age: 31 })
  })

  it('says why each line exists, and nothing about the payer', async () => {
    const lines = await linesOf(affiliate)
    // Dated by payment: the second tier's is a month old.
    const [refund, earned, secondTier] = lines
    expect(lines).toHaveLength(3)
    expect(earned).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      due_at: expect.any(String),
      is_due: false,
      is_play_money: false,
      amount_cents: 175,
      tier: 1,
      status: 'pending',
      kind: 'earned',
      rate_percent: 25,
      base_cents: 700,
      sign_up_number: 3,
      sign_up_month: '2026-04',
      invoice_ref: expect.stringMatching(/^[0-9A-F]{8}$/),
    })
    expect(refund).toMatchObject({ kind: 'refund', amount_cents: -88, sign_up_number: 3 })
    expect(refund?.invoice_ref).toBe(earned?.invoice_ref)
    // The second tier names the sign-up that brought the payer.
    expect(secondTier).toMatchObject({ tier: 2, amount_cents: 70, sign_up_number: 3 })
    expect(secondTier?.invoice_ref).not.toBe(earned?.invoice_ref)
    expect(JSON.stringify(lines)).not.toMatch(/@|in_|cus_|payer/)
  })

  it('is hidden from other accounts', async () => {
    expect(await linesOf(stranger)).toEqual([])
    expect(await summaryOf(stranger)).toMatchObject({ pending_cents: 0, due_cents: 0 })
  })

  it('the affiliate dashboard adds up pending, due, paid and held commissions, and the months', async () => {
    const [next] = await server.sql<{ due_at: Date }>(
      `select due_at from app.commissions where invoice_id = $1 and kind = 'earned' and tier = 1`,
      [invoice],
    )
    const summary = await summaryOf(affiliate)
    expect(summary).toMatchObject({
      pending_cents: 87,
      due_cents: 70,
      paid_cents: 0,
      next_due_cents: 87,
    })
    const shown = (summary as unknown as { next_due_at: string }).next_due_at
    expect(new Date(shown)).toEqual(next?.due_at)
    expect(summary.months.at(-1)).toMatchObject({ earned_cents: 87, reversed_cents: 88 })
    expect(chartTotalOf(summary)).toBe(245 - 88)
    const april = summary.months.find(({ month }) => month === '2026-04')
    if (april) expect(april.sign_ups).toBe(3)
    await server.sql('select app.make_payout($1, null, null)', [affiliate.id])
    expect(await summaryOf(affiliate)).toMatchObject({ due_cents: 0, paid_cents: 70 })
    // The columns of the specification say the same.
    const { body } = await send(
      server,
      affiliate,
      'GET',
      `commissions?select=amount,tier,status&affiliate_user_id=eq.${affiliate.id}&order=created_at.desc&limit=10`,
    )
    expect(body).toEqual([
      { amount: -0.88, tier: 1, status: 'pending' },
      { amount: 1.75, tier: 1, status: 'pending' },
      { amount: 0.7, tier: 2, status: 'paid' },
    ])
  })

  it('adds up commissions that fall due next on one day', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    for (const [days, hours] of [
      [0, 1],
      [0, 23],
      [1, 0],
    ]) {
      const paid = await makeInvoice(server.sql, { payer: payer?.id ?? '' })
      await server.sql(
        `update app.billing_invoices set paid_at = date_trunc('day', now(), 'utc') - interval '5 days'
           + make_interval(days => $2, hours => $3) where invoice_id = $1`,
        [paid, days, hours],
      )
      await settle(server.sql, paid)
    }
    expect(await summaryOf(who)).toMatchObject({ pending_cents: 525, next_due_cents: 350 })
  })

  it('counts reversals in the month of their commission, without won disputes and undone refunds', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    const paid = await payInvoice(server.sql, { payer: payer?.id ?? '', age: 100 })
    await reverse(server.sql, paid, { disputed: 700 })
    // The dispute came two months before it was won.
    await server.sql(
      `do $$ begin set local session_replication_role = replica;
         update app.commissions set created_at = now() - interval '62 days' where invoice_id = '${paid}' and kind = 'dispute'; end $$`,
    )
    expect(chartTotalOf(await summaryOf(who))).toBe(0)
    await reverse(server.sql, paid, { disputed: 0 })
    await reverse(server.sql, paid, { refunded: 350 })
    await reverse(server.sql, paid, { refunded: 70 })
    const { months } = await summaryOf(who)
    const all = (of: 'earned_cents' | 'reversed_cents') =>
      months.map((month) => month[of]).filter((cents) => cents !== 0)
    expect(all('earned_cents')).toEqual([175 - 18])
    expect(all('reversed_cents')).toEqual([18])
    expect(months.at(-1)).toMatchObject({ earned_cents: 0, reversed_cents: 0 })
    const [total] = await server.sql(
      'select sum(amount_cents)::int as cents from app.commissions where affiliate_user_id = $1',
      [who.id],
    )
    expect(total).toEqual({ cents: 175 - 18 })
  })

  it('after a full refund shows 0.00 in the chart, as in the total', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    const paid = await payInvoice(server.sql, { payer: payer?.id ?? '', age: 40 })
    expect(chartTotalOf(await summaryOf(who))).toBe(175)
    await reverse(server.sql, paid, { refunded: 700 })
    expect(chartTotalOf(await summaryOf(who))).toBe(0)
  })

  it('shows play money earned ahead of the clock, and never pays it out', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    const book = (provider: string, paidAt: string) =>
      server.sql(
        `with made as (
          insert into app.billing_invoices (provider, invoice_id, customer_id, account_id, currency, paid_cents, base_cents, paid_at)
          values ($1, 'in_' || gen_random_uuid(), 'cus', $2, 'usd', 700, 700, now() + $3::interval)
          returning provider, invoice_id)
         select app.settle_invoice(provider, invoice_id) from made`,
        [provider, payer?.id, paidAt],
      )
    await book('play_money', '45 days')
    await book('play_money', '-45 days')
    const summary = await summaryOf(who)
    const ahead = new Date(Date.now() + 45 * 86_400_000).toISOString().slice(0, 7)
    expect(summary.months.at(-1)).toMatchObject({ month: ahead, earned_cents: 175 })
    expect(chartTotalOf(summary)).toBe(350)
    expect(await linesOf(who)).toMatchObject([{ is_play_money: true }, { is_play_money: true }])
    const payout = () =>
      server.sql('select app.make_payout($1, null, null) is not null as paid', [who.id])
    expect(await payout()).toEqual([{ paid: false }])
    // Real money of the same age is paid out, by itself.
    await book('stripe', '-45 days')
    expect(await payout()).toEqual([{ paid: true }])
    expect(
      await server.sql(
        'select provider, amount_cents::int as cents from app.commissions where status = $2 and affiliate_user_id = $1',
        [who.id, 'paid'],
      ),
    ).toEqual([{ provider: 'stripe', cents: 175 }])
    await expect(
      server.sql(
        `update app.commissions c set status = 'paid', payout_id = (select id from app.payouts limit 1)
          where c.affiliate_user_id = $1 and provider = 'play_money'`,
        [who.id],
      ),
    ).rejects.toThrow('commissions_play_money_unpaid')
  })

  it('is paged, with each line once', async () => {
    const many = await makeAccount(server)
    const [payer] = await bring(many, 1)
    for (let n = 0; n < 7; n++) await payInvoice(server.sql, { payer: payer?.id ?? '' })
    // Several with the same time, as in one transaction.
    await server.sql(
      `do $$ begin set local session_replication_role = replica;
         update app.commissions set created_at = date_trunc('second', now()) where affiliate_user_id = '${many.id}'; end $$`,
    )
    const seen: CommissionLine[] = []
    for (;;) {
      const last = seen.at(-1)
      const page = await linesOf(many, {
        _limit: 3,
        _before_created_at: last?.created_at ?? null,
        _before_id: last?.id ?? null,
      })
      if (page.length === 0) break
      seen.push(...page)
    }
    expect(new Set(seen.map(({ id }) => id)).size).toBe(7)
    expect(seen).toHaveLength(7)
    expect(await linesOf(many, { _limit: 1_000_000 })).toHaveLength(7)
  })
})
