import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { openClients } from '#test/tables/held-open.ts'
import { createBrokenDatabase, drift, linesOf, makeChain, payInvoice, reverse } from './plant.ts'

let server: TestServer
let admin: Account
let otherAdmin: Account
let person: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAccount(server, { role: 'admin' })
  otherAdmin = await makeAccount(server, { role: 'admin' })
  person = await makeAccount(server)
})
afterAll(() => server.close())

const rpc = async (who: Account | undefined, name: string, args: object = {}) =>
  send(server, who, 'POST', `rpc/${name}`, args)
const asAdmin = async <T>(name: string, args: object = {}) => {
  const { status, body } = await rpc(admin, name, args)
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return body as T
}
const pay = (affiliate: string) =>
  asAdmin<{ amount_cents: number } | null>('admin_make_payout', { _affiliate: affiliate })

interface Due {
  affiliate_user_id: string
  due_cents: number
  pending_cents: number
  held_cents: number
  lines: number
}
const dueTo = async (affiliate: string) =>
  (await asAdmin<Due[]>('admin_payouts_due')).find((one) => one.affiliate_user_id === affiliate)

async function auditOf(affiliate: string): Promise<object[]> {
  return server.sql(
    `select action, actor_id, after from app.audit_log where target_kind = 'affiliate' and target_id = $1 order by id`,
    [affiliate],
  )
}

it.each([
  ['admin_payouts_due', {}],
  ['admin_make_payout', { _affiliate: '00000000-0000-4000-8000-000000000001' }],
  ['admin_payouts', {}],
  ['admin_held_commissions', {}],
  ['admin_decide_held', { _id: '00000000-0000-4000-8000-000000000001', _release: true }],
])('%s needs an admin who is signed in', async (name, args) => {
  expect((await rpc(undefined, name, args)).status).toBe(401)
  expect(await rpc(person, name, args)).toMatchObject({ status: 403, body: { code: '42501' } })
})

describe('a payout', () => {
  it('a payout contains commissions older than 30 days, and is in the history and the audit log', async () => {
    const { payer, first } = await makeChain(server.sql)
    await payInvoice(server.sql, { payer, age: 31 })
    await payInvoice(server.sql, { payer, age: 30.5 })
    await payInvoice(server.sql, { payer, age: 29 })
    expect(await dueTo(first)).toEqual({
      affiliate_user_id: first,
      email: `${first}@example.com`,
      code: expect.any(String),
      due_cents: 350,
      pending_cents: 175,
      held_cents: 0,
      lines: 2,
    })
    const paid = await asAdmin<{ id: string; amount_cents: number }>('admin_make_payout', {
      _affiliate: first,
      _reference: ' PayPal 17 ',
    })
    expect(paid.amount_cents).toBe(350)
    expect(await dueTo(first)).toBeUndefined()
    expect(await pay(first)).toBeNull()
    const [newest] = await asAdmin<object[]>('admin_payouts', { _limit: 1 })
    expect(newest).toMatchObject({
      id: paid.id,
      affiliate_user_id: first,
      email: `${first}@example.com`,
      amount_cents: 350,
      reference: 'PayPal 17',
      made_by: admin.id,
      made_by_email: `${admin.id}@example.com`,
    })
    expect(await auditOf(first)).toEqual([
      {
        action: 'payout.make',
        actor_id: admin.id,
        after: { payout_id: paid.id, amount_cents: 350, reference: 'PayPal 17' },
      },
    ])
    expect(await drift(server.sql)).toEqual([])
  })

  it('is reduced by reversals of earlier payouts, and never paid twice', async () => {
    const { payer, first } = await makeChain(server.sql)
    const old = await payInvoice(server.sql, { payer, age: 40 })
    expect(await pay(first)).toMatchObject({ amount_cents: 175 })
    await reverse(server.sql, old, { disputed: 700 })
    expect(await dueTo(first)).toBeUndefined()
    expect(await pay(first)).toBeNull()
    await payInvoice(server.sql, { payer, age: 35, base: 500 })
    expect(await pay(first)).toBeNull()
    await payInvoice(server.sql, { payer, age: 34 })
    expect(await dueTo(first)).toMatchObject({ due_cents: 125 + 175 - 175, lines: 3 })
    expect(await pay(first)).toMatchObject({ amount_cents: 125 })
    await reverse(server.sql, old, { disputed: 0 })
    expect(await pay(first)).toMatchObject({ amount_cents: 175 })
    expect(await pay(first)).toBeNull()
    expect(await drift(server.sql)).toEqual([])
  })

  it('is refused when another amount is due than the admin saw', async () => {
    const { payer, first } = await makeChain(server.sql)
    const invoice = await payInvoice(server.sql, { payer, age: 31 })
    const book = (cents: number | null) =>
      rpc(admin, 'admin_make_payout', { _affiliate: first, _expected_cents: cents })
    await payInvoice(server.sql, { payer, age: 31, base: 500_000 })
    expect(await book(175)).toMatchObject({
      status: 400,
      body: { code: 'P0001', message: 'The amount due has changed to $1,251.75.' },
    })
    await reverse(server.sql, invoice, { refunded: 700 })
    expect(await book(125_175)).toMatchObject({
      body: { message: 'The amount due has changed to $1,250.00.' },
    })
    expect(await auditOf(first)).toEqual([])
    expect(await dueTo(first)).toMatchObject({ due_cents: 125_000 })
    expect(await book(125_000)).toMatchObject({ status: 200, body: { amount_cents: 125_000 } })
    // Another admin was faster.
    expect(await book(125_000)).toMatchObject({ status: 200, body: null })
    await payInvoice(server.sql, { payer, age: 31 })
    expect(await book(null)).toMatchObject({ body: { amount_cents: 175 } })
    expect(await drift(server.sql)).toEqual([])
  })

  it('is made once by two admins in parallel, 20 rounds', async () => {
    const clients = await openClients(server, 2)
    for (let round = 0; round < 20; round++) {
      const { payer, first } = await makeChain(server.sql)
      await payInvoice(server.sql, { payer, age: 31 })
      await clients.race(
        [admin, otherAdmin].map(({ id }) => ({
          userId: id,
          text: 'select api.admin_make_payout($1)',
          values: [first],
        })),
      )
      const made = await server.sql(
        'select amount_cents::int as cents from app.payouts where affiliate_user_id = $1',
        [first],
      )
      expect(made).toEqual([{ cents: 175 }])
      expect(await auditOf(first)).toHaveLength(1)
    }
    await clients.close()
    expect(await drift(server.sql)).toEqual([])
  })

  it('control: without its locks and the guard of the ledger it is made twice', async () => {
    const broken = await createBrokenDatabase('app.make_payout', ' for update', '')
    try {
      await broken.sql('drop trigger guard on app.commissions')
      await broken.sql(
        `insert into auth.users (id, email) values ($1, 'one@example.com'), ($2, 'two@example.com')`,
        [admin.id, otherAdmin.id],
      )
      await broken.sql(`update app.user_roles set role = 'admin'`)
      const clients = await openClients({ ...server, databaseUrl: broken.url }, 2)
      // Without locks it depends on luck: one of ten rounds is enough.
      let most = 0
      for (let round = 0; round < 10 && most < 2; round++) {
        const { payer, first } = await makeChain(broken.sql)
        await payInvoice(broken.sql, { payer, age: 31 })
        await clients.race(
          [admin, otherAdmin].map(({ id }) => ({
            userId: id,
            text: 'select api.admin_make_payout($1)',
            values: [first],
          })),
        )
        const made = await broken.sql('select 1 from app.payouts where affiliate_user_id = $1', [
          first,
        ])
        most = Math.max(most, made.length)
      }
      await clients.close()
      expect(most).toBe(2)
    } finally {
      await broken.drop()
    }
  })

  it('is correct while a refund is booked, 20 rounds', async () => {
    const clients = await openClients(server, 1)
    for (let round = 0; round < 20; round++) {
      const { payer, first } = await makeChain(server.sql)
      const invoice = await payInvoice(server.sql, { payer, age: 31 })
      await Promise.all([
        clients.race([
          { userId: admin.id, text: 'select api.admin_make_payout($1)', values: [first] },
        ]),
        reverse(server.sql, invoice, { refunded: 350 }),
      ])
      const [sums] = await server.sql<{ paid: number; owed: number }>(
        `select (select coalesce(sum(amount_cents), 0)::int from app.payouts where affiliate_user_id = $1) as paid,
           (select coalesce(sum(amount_cents), 0)::int from app.commissions where affiliate_user_id = $1 and status = 'pending') as owed`,
        [first],
      )
      expect((sums?.paid ?? 0) + (sums?.owed ?? 0)).toBe(87)
    }
    await clients.close()
    expect(await drift(server.sql)).toEqual([])
  })

  it('is refused for unknown, banned, blocked and deleted affiliates', async () => {
    expect(await pay('00000000-0000-4000-8000-000000000001')).toBeNull()
    const { payer, first, second } = await makeChain(server.sql)
    await payInvoice(server.sql, { payer, age: 31 })
    await ban(first)
    expect(await pay(first)).toBeNull()
    expect(await dueTo(first)).toBeUndefined()
    await server.sql(`update auth.users set banned_until = null where id = $1`, [first])
    expect(await dueTo(first)).toMatchObject({ due_cents: 175 })
    // A block alone, as when its ban was lifted.
    await server.sql(`insert into app.blocks (kind, value) values ('user', $1)`, [first])
    expect(await pay(first)).toBeNull()
    expect(await dueTo(first)).toBeUndefined()
    expect((await send(server, admin, 'DELETE', `profiles?id=eq.${second}`)).status).toBe(204)
    expect(await pay(second)).toBeNull()
    expect(await dueTo(second)).toBeUndefined()
  })
})

describe('a held commission', () => {
  const held = async () => {
    const chain = await makeChain(server.sql)
    await server.sql(`update auth.users set email = $2 where id = $1`, [
      chain.payer,
      `${chain.first}+me@example.com`,
    ])
    const invoice = await payInvoice(server.sql, { payer: chain.payer, age: 31 })
    const list =
      await asAdmin<{ id: string; affiliate_user_id: string }[]>('admin_held_commissions')
    const line = list.find((one) => one.affiliate_user_id === chain.first)
    if (!line) throw new Error('nothing is held')
    return { ...chain, invoice, line }
  }
  const totalOf = async (affiliate: string) =>
    (
      await server.sql(
        'select total_earnings_cents::int as cents from app.affiliate_codes where user_id = $1',
        [affiliate],
      )
    )[0]

  it('is counted and paid when an admin releases it, with its reversals', async () => {
    const { first, payer, invoice, line } = await held()
    expect(line).toMatchObject({
      email: `${first}@example.com`,
      payer_email: `${first}+me@example.com`,
      tier: 1,
      amount_cents: 175,
      same_mailbox: true,
    })
    expect(await totalOf(first)).toEqual({ cents: 0 })
    await reverse(server.sql, invoice, { refunded: 100 })
    expect(await dueTo(first)).toBeUndefined()
    await asAdmin('admin_decide_held', { _id: line.id, _release: true })
    expect(await totalOf(first)).toEqual({ cents: 150 })
    expect(await auditOf(first)).toMatchObject([
      { action: 'commission.release', actor_id: admin.id, after: { amount_cents: 150 } },
    ])
    expect(await pay(first)).toMatchObject({ amount_cents: 150 })
    await reverse(server.sql, invoice, { refunded: 700 })
    expect((await linesOf(server.sql, invoice))[2]).toMatchObject({
      cents: -150,
      status: 'pending',
    })
    expect(await totalOf(first)).toEqual({ cents: 0 })
    expect(payer).not.toBe(first)
    expect(await drift(server.sql)).toEqual([])
  })

  it('stays canceled when an admin cancels it, and is decided once', async () => {
    const { first, line, invoice } = await held()
    await asAdmin('admin_decide_held', { _id: line.id, _release: false })
    await reverse(server.sql, invoice, { refunded: 700 })
    expect(await totalOf(first)).toEqual({ cents: 0 })
    expect(await pay(first)).toBeNull()
    expect(
      await rpc(otherAdmin, 'admin_decide_held', { _id: line.id, _release: true }),
    ).toMatchObject({ status: 400, body: { code: 'P0001' } })
    expect(await auditOf(first)).toHaveLength(1)
  })

  it('is decided as a whole while a refund is booked, 20 rounds', async () => {
    const clients = await openClients(server, 1)
    for (let round = 0; round < 20; round++) {
      const { first, invoice, line } = await held()
      await Promise.all([
        clients.race([
          {
            userId: admin.id,
            text: 'select api.admin_decide_held($1, true)',
            values: [line.id],
          },
        ]),
        reverse(server.sql, invoice, { refunded: 700 }),
      ])
      const ofFirst = (await linesOf(server.sql, invoice)).filter((one) => one.tier === 1)
      expect(ofFirst.map(({ cents, status }) => `${cents} ${status}`)).toEqual([
        '175 pending',
        '-175 pending',
      ])
      expect(await totalOf(first)).toEqual({ cents: 0 })
    }
    await clients.close()
  })
})

async function ban(account: string): Promise<void> {
  await server.sql(`update auth.users set banned_until = now() + interval '1 year' where id = $1`, [
    account,
  ])
}
