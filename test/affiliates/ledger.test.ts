import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { drift, linesOf, makeChain, makeInvoice, payInvoice, reverse } from './plant.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAccount(server, { role: 'admin' })
})
afterAll(() => server.close())

describe('who earns', () => {
  it('a plan that an admin sets pays no commission; an invoice does', async () => {
    const { payer } = await makeChain(server.sql)
    const given = await send(server, admin, 'PATCH', `user_plans?user_id=eq.${payer}`, {
      plan_type: 'business',
    })
    expect(given.status).toBe(204)
    const lines = () =>
      server.sql('select amount_cents::int as cents from app.commissions where payer_id = $1', [
        payer,
      ])
    expect(await lines()).toEqual([])
    await payInvoice(server.sql, { payer })
    expect(await lines()).toHaveLength(2)
  })

  it('a banned affiliate earns nothing, the second tier does', async () => {
    const { payer, first } = await makeChain(server.sql)
    await server.sql(
      `update auth.users set banned_until = now() + interval '1 year' where id = $1`,
      [first],
    )
    const invoice = await makeInvoice(server.sql, { payer })
    await reverse(server.sql, invoice, { refunded: 70 })
    expect((await linesOf(server.sql, invoice)).map((one) => `${one.cents} ${one.status}`)).toEqual(
      ['175 canceled', '-18 canceled', '70 pending', '-7 pending'],
    )
    expect(await drift(server.sql)).toEqual([])
  })

  it('a deleted affiliate earns nothing, the second tier does, and the payer’s deletion changes nothing', async () => {
    const { payer, first } = await makeChain(server.sql)
    for (const gone of [first, payer]) {
      expect((await send(server, admin, 'DELETE', `profiles?id=eq.${gone}`)).status).toBe(204)
    }
    const invoice = await payInvoice(server.sql, { payer })
    expect(await linesOf(server.sql, invoice)).toMatchObject([
      { tier: 1, status: 'canceled' },
      { tier: 2, status: 'pending', cents: 70 },
    ])
    expect(await drift(server.sql)).toEqual([])
  })
})

describe('the ledger', () => {
  it.each(['app.commissions', 'app.payouts'])(
    '%s: no role changes or deletes rows',
    async (table) => {
      const { payer, first } = await makeChain(server.sql)
      await payInvoice(server.sql, { payer, age: 31 })
      await server.sql('select app.make_payout($1, null, null)', [first])
      const before = await server.sql(`select * from ${table} order by id`)
      const as = (role: string, statement: string) =>
        server.sql(`do $$ begin set local role ${role}; ${statement}; end $$`)
      for (const statement of [
        `update ${table} set amount_cents = amount_cents + 1`,
        `delete from ${table}`,
        `truncate ${table} cascade`,
      ]) {
        await expect(as('hoplet_owner', statement), statement).rejects.toThrow('append-only')
        for (const role of ['service_role', 'authenticated', 'hoplet_billing']) {
          await expect(as(role, statement), `${role}: ${statement}`).rejects.toThrow(
            'permission denied',
          )
        }
      }
      for (const method of ['PATCH', 'DELETE']) {
        const service = {
          headers: {
            apikey: server.serviceRoleKey,
            authorization: `Bearer ${server.serviceRoleKey}`,
          },
        }
        const body = method === 'PATCH' ? { amount: 1 } : undefined
        const refused = await send(
          server,
          service,
          method,
          `commissions?affiliate_user_id=eq.${first}`,
          body,
        )
        expect(refused.status).toBe(403)
      }
      expect(await server.sql(`select * from ${table} order by id`)).toEqual(before)
    },
  )

  it('never reverts a status', async () => {
    const { payer, first } = await makeChain(server.sql)
    const invoice = await payInvoice(server.sql, { payer, age: 31 })
    await server.sql('select app.make_payout($1, null, null)', [first])
    for (const change of [`status = 'pending', payout_id = null`, `status = 'canceled'`]) {
      await expect(
        server.sql(`update app.commissions set ${change} where invoice_id = $1 and tier = 1`, [
          invoice,
        ]),
      ).rejects.toThrow('append-only')
    }
  })
})
