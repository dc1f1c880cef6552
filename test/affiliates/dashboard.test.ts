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

/** What all months together leave. */
const balanceOf = ({ months }: Summary) =>
  months.reduce((sum, month) => sum + month.earned_cents - month.reversed_cents, 0)

/** `count` accounts that Ann brought, some months ago the first, and each its own day. */
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

it('of somebody new is empty, and still has its twelve months', async () => {
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

  it('says why each line exists, and nothing about the person who paid', async () => {
    const lines = await linesOf(affiliate)
    // Each has the day of its payment: the second tier's is a month old.
    const [refund, earned, secondTier] = lines
    expect(lines).toHaveLength(3)
    expect(earned).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      due_at: expect.any(String),
      is_due: false,
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
    // The second tier names the sign-up that brought the one who paid.
    expect(secondTier).toMatchObject({ tier: 2, amount_cents: 70, sign_up_number: 3 })
    expect(secondTier?.invoice_ref).not.toBe(earned?.invoice_ref)
    expect(JSON.stringify(lines)).not.toMatch(/@|in_|cus_|payer/)
  })

  it('shows others nothing of it', async () => {
    expect(await linesOf(stranger)).toEqual([])
    expect(await summaryOf(stranger)).toMatchObject({ pending_cents: 0, due_cents: 0 })
  })

  it('adds up what is pending, due, paid and held, and the months', async () => {
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
    expect(summary.months.at(-1)).toMatchObject({ earned_cents: 175, reversed_cents: 88 })
    expect(balanceOf(summary)).toBe(245 - 88)
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

  it('says next what falls due on one day, whatever the time of day', async () => {
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

  it('takes a won dispute and an undone refund off what was reversed, in the month of the reversal', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    const paid = await payInvoice(server.sql, { payer: payer?.id ?? '', age: 100 })
    await reverse(server.sql, paid, { disputed: 700 })
    // The dispute came two months before it was won.
    await server.sql(
      `do $$ begin set local session_replication_role = replica;
         update app.commissions set created_at = now() - interval '62 days' where invoice_id = '${paid}' and kind = 'dispute'; end $$`,
    )
    expect(balanceOf(await summaryOf(who))).toBe(0)
    await reverse(server.sql, paid, { disputed: 0 })
    await reverse(server.sql, paid, { refunded: 350 })
    await reverse(server.sql, paid, { refunded: 70 })
    const { months } = await summaryOf(who)
    const all = (of: 'earned_cents' | 'reversed_cents') =>
      months.map((month) => month[of]).filter((cents) => cents !== 0)
    expect(all('earned_cents')).toEqual([175])
    expect(all('reversed_cents')).toEqual([18])
    expect(months.at(-1)).toMatchObject({ reversed_cents: 18 })
    const [total] = await server.sql(
      'select sum(amount_cents)::int as cents from app.commissions where affiliate_user_id = $1',
      [who.id],
    )
    expect(total).toEqual({ cents: 175 - 18 })
  })

  it('goes by the time of day in matters of money, so that the hold reads 30 days', async () => {
    const who = await makeAccount(server)
    const [payer] = await bring(who, 1)
    await server.sql(`insert into app.sandbox_clock (ahead) values ('45 days')`)
    try {
      const paid = await payInvoice(server.sql, { payer: payer?.id ?? '', age: -45 })
      await reverse(server.sql, paid, { refunded: 70 })
      const days = await server.sql(
        `select kind, due_at - created_at between interval '29 days 23 hours' and interval '30 days' as held,
           created_at - now() between interval '44 days' and interval '45 days' as by_clock
         from app.commissions where affiliate_user_id = $1 order by kind`,
        [who.id],
      )
      expect(days).toEqual([
        { kind: 'earned', held: true, by_clock: true },
        { kind: 'refund', held: true, by_clock: true },
      ])
      const { months } = await summaryOf(who)
      expect(months.at(-1)).toMatchObject({
        month: new Date(Date.now() + 45 * 86_400_000).toISOString().slice(0, 7),
        earned_cents: 175,
        reversed_cents: 18,
      })
    } finally {
      await server.sql('delete from app.sandbox_clock')
    }
  })

  it('comes a page at a time, each line once', async () => {
    const many = await makeAccount(server)
    const [payer] = await bring(many, 1)
    for (let n = 0; n < 7; n++) await payInvoice(server.sql, { payer: payer?.id ?? '' })
    // Several of the same moment, as one transaction makes them.
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
