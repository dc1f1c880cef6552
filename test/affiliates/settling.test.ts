import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import {
  createBrokenDatabase,
  drift,
  linesOf,
  makeChain,
  makeChains,
  makeInvoice,
  payInvoice,
  reverse,
  settle,
} from './plant.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

describe('an invoice', () => {
  it('pays 25 % and 10 % once when it is settled 20 times in parallel, 20 rounds', async () => {
    expect(await raceToSettle(database, 20)).toEqual(
      Array.from({ length: 20 }, () => ({ lines: 2, cents: 245 })),
    )
    expect(await drift(database.sql)).toEqual([])
  })

  it('pays twice without the lock and the unique key (control)', async () => {
    const broken = await createBrokenDatabase('app.settle_invoice', ' for update', '')
    try {
      await broken.sql('alter table app.commissions drop constraint commissions_once')
      const [round] = await raceToSettle(broken, 1)
      expect(round?.lines).toBeGreaterThan(2)
    } finally {
      await broken.drop()
    }
  })

  it('earns a share of the payment without tax, in whole cents, rounded down', async () => {
    const { payer } = await makeChain(database.sql)
    const invoice = await payInvoice(database.sql, { payer, base: 713, paid: 848 })
    expect(await linesOf(database.sql, invoice)).toEqual([
      { tier: 1, kind: 'earned', cents: 178, status: 'pending' },
      { tier: 2, kind: 'earned', cents: 71, status: 'pending' },
    ])
  })

  it('of a space earns for the referrers of the person who made it', async () => {
    const { payer, first, second } = await makeChain(database.sql)
    const [space] = await database.sql<{ id: string }>(
      `with made as (insert into auth.users (kind) values ('space') returning id)
        insert into app.spaces (id, slug, made_by) select id, 'team-' || left(id::text, 8), $1 from made returning id`,
      [payer],
    )
    const invoice = await payInvoice(database.sql, { payer: space?.id ?? '', base: 700, paid: 700 })
    const lines = await database.sql(
      `select affiliate_user_id as affiliate, payer_id as payer, amount_cents::int as cents from app.commissions
        where invoice_id = $1 order by tier`,
      [invoice],
    )
    expect(lines).toEqual([
      { affiliate: first, payer, cents: 175 },
      { affiliate: second, payer, cents: 70 },
    ])
  })

  it('earns nothing without a payment, for tax alone, or in another currency', async () => {
    const { payer } = await makeChain(database.sql)
    for (const invoice of [
      { payer, base: 0, paid: 0 },
      { payer, base: 0, paid: 133 },
      { payer, base: 3, paid: 3 },
      { payer, currency: 'eur' },
    ]) {
      expect(
        await linesOf(database.sql, await payInvoice(database.sql, invoice)),
        JSON.stringify(invoice),
      ).toEqual([])
    }
  })

  it(
    'never pays more than 35 % to both tiers together, 10,000 random invoices',
    { tags: ['extended'] },
    async () => {
      expect(await overpaid(database, 100)).toEqual({ settled: 10_000, overpaid: 0 })
      expect(await drift(database.sql)).toEqual([])
    },
  )

  it('pays more than 35 % when it rounds up (control)', async () => {
    const broken = await createBrokenDatabase(
      'app.settle_invoice',
      'values (share.beneficiary, inv.base_cents * share.rate / 100',
      'values (share.beneficiary, inv.base_cents * share.rate / 100 + 1',
    )
    try {
      expect((await overpaid(broken, 2)).overpaid).toBeGreaterThan(0)
    } finally {
      await broken.drop()
    }
  })

  it('pays one tier when the referrer has no referrer, and none when the payer has none', async () => {
    const { first, second } = await makeChain(database.sql)
    const ofFirst = await payInvoice(database.sql, { payer: first })
    expect(await linesOf(database.sql, ofFirst)).toMatchObject([{ tier: 1, cents: 175 }])
    const ofSecond = await payInvoice(database.sql, { payer: second })
    expect(await linesOf(database.sql, ofSecond)).toEqual([])
  })
})

describe('a reversal', () => {
  it('takes back the refunded share, and a full refund everything', async () => {
    const { payer } = await makeChain(database.sql)
    const invoice = await payInvoice(database.sql, { payer })
    await reverse(database.sql, invoice, { refunded: 233 })
    await reverse(database.sql, invoice, { refunded: 233 })
    await reverse(database.sql, invoice, { refunded: 700 })
    expect(await linesOf(database.sql, invoice)).toEqual([
      { tier: 1, kind: 'earned', cents: 175, status: 'pending' },
      { tier: 1, kind: 'refund', cents: -58, status: 'pending' },
      { tier: 1, kind: 'refund', cents: -117, status: 'pending' },
      { tier: 2, kind: 'earned', cents: 70, status: 'pending' },
      { tier: 2, kind: 'refund', cents: -23, status: 'pending' },
      { tier: 2, kind: 'refund', cents: -47, status: 'pending' },
    ])
  })

  it('is the same when the refund came before the invoice was settled', async () => {
    const { payer } = await makeChain(database.sql)
    const invoice = await makeInvoice(database.sql, { payer })
    await reverse(database.sql, invoice, { refunded: 700 })
    const cents = (await linesOf(database.sql, invoice)).map((line) => line.cents)
    expect(cents).toEqual([175, -175, 70, -70])
  })

  it('a dispute takes everything, a won dispute returns it once', async () => {
    const { payer } = await makeChain(database.sql)
    const invoice = await payInvoice(database.sql, { payer })
    await reverse(database.sql, invoice, { disputed: 700 })
    await reverse(database.sql, invoice, { disputed: 0 })
    await settle(database.sql, invoice)
    const ofFirst = (await linesOf(database.sql, invoice)).filter((line) => line.tier === 1)
    expect(ofFirst.map(({ kind, cents }) => [kind, cents])).toEqual([
      ['earned', 175],
      ['dispute', -175],
      ['dispute_won', 175],
    ])
  })
})

it('totals match the ledger after an interrupted settlement, 20 rounds', async () => {
  const { payer } = await makeChain(database.sql)
  for (let round = 0; round < 20; round++) {
    const invoice = await makeInvoice(database.sql, { payer })
    const client = new pg.Client({ connectionString: database.superuserUrl })
    client.on('error', () => {})
    await client.connect()
    await client.query('begin')
    await client.query(`select app.settle_invoice('stripe', $1)`, [invoice])
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    await database.sql('select pg_terminate_backend($1)', [rows[0]?.pid])
    await client.end().catch(() => {})
    expect(await linesOf(database.sql, invoice)).toEqual([])
    await settle(database.sql, invoice)
    expect(await linesOf(database.sql, invoice)).toHaveLength(2)
  }
  expect(await drift(database.sql)).toEqual([])
})

it('the check notices a wrong total (control)', async () => {
  const { first } = await makeChain(database.sql)
  await database.sql(
    'update app.affiliate_codes set total_earnings_cents = 1, total_referrals = 1 where user_id = $1',
    [first],
  )
  expect(await drift(database.sql)).toEqual([{ user_id: first }])
  await database.sql(
    'update app.affiliate_codes set total_earnings_cents = 0, total_referrals = 1 where user_id = $1',
    [first],
  )
})

/** Settles an invoice of $7 on 20 connections at once, each transaction open until all have started. */
async function raceToSettle(on: TestDatabase, rounds: number) {
  const clients = Array.from(
    { length: 20 },
    () => new pg.Client({ connectionString: on.superuserUrl }),
  )
  await Promise.all(clients.map((client) => client.connect()))
  const outcomes: { lines: number; cents: number }[] = []
  for (let round = 0; round < rounds; round++) {
    const { payer } = await makeChain(on.sql)
    const invoice = await makeInvoice(on.sql, { payer })
    const allSent = new Promise<void>((resolve) => setTimeout(resolve, 30))
    await Promise.all(
      clients.map(async (client) => {
        await client.query('begin; set local role hoplet_billing')
        await client.query(`select app.settle_invoice('stripe', $1)`, [invoice])
        await allSent
        await client.query('commit')
      }),
    )
    const lines = await linesOf(on.sql, invoice)
    outcomes.push({
      lines: lines.length,
      cents: lines.reduce((sum, line) => sum + line.cents, 0),
    })
  }
  await Promise.all(clients.map((client) => client.end()))
  return outcomes
}

/** Settles 100 random invoices for each of `count` payers; counts those that paid more than 35 % of their base. */
async function overpaid(on: TestDatabase, count: number) {
  const chains = await makeChains(on.sql, count)
  for (const { payer } of chains) {
    await on.sql(
      `insert into app.billing_invoices (provider, invoice_id, customer_id, account_id, currency, paid_cents, base_cents, paid_at)
       select 'random', $1::text || n, 'cus', $1::uuid, 'usd', base + (random() * base * 0.3)::int, base, now()
       from (select n, (case when n % 2 = 0 then 5 + random() * 200 else random() * 1000000 end)::int as base
         from generate_series(1, 100) as n offset 0) as drawn`,
      [payer],
    )
    await on.sql(
      `select app.settle_invoice('random', invoice_id) from app.billing_invoices where account_id = $1`,
      [payer],
    )
  }
  const [result] = await on.sql<{ settled: number; overpaid: number }>(`
    select count(*)::int as settled, (count(*) filter (where paid * 100 > base_cents * 35))::int as overpaid
    from (select i.invoice_id, i.base_cents, coalesce(sum(c.amount_cents), 0) as paid
      from app.billing_invoices i left join app.commissions c on c.provider = i.provider and c.invoice_id = i.invoice_id
      where i.provider = 'random' group by i.invoice_id, i.base_cents) as each_invoice`)
  return result ?? { settled: 0, overpaid: 0 }
}
