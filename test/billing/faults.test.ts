/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { makeUser } from '#test/factories.ts'
import { createTestDatabase } from '#test/database.ts'
import { startBuilt } from '#test/visits/built.ts'
import { copyCustomer, plansOf } from './copies.ts'
import { deliver, makePayer, openShop, planOf, prices, type Shop, webhookSecret } from './shop.ts'
import { secretKey } from '#test/stand-ins/stripe/server.ts'

/** Fails at that billing statement; 0 never fails. `commit` fails after the transaction was committed. */
const plan: { breakAt: number | 'commit'; seen: number; texts: string[]; isLoose: boolean } = {
  breakAt: 0,
  seen: 0,
  texts: [],
  // The control: each statement in a separate transaction.
  isLoose: false,
}

class Broken extends Error {}

function fragile(database: Database): Database {
  return {
    ...database,
    async transactionAs(caller, work) {
      if (caller.role !== 'hoplet_billing') return database.transactionAs(caller, work)
      let wasEffect = false
      const result = await database.transactionAs(caller, (db) =>
        work({
          async query(text, values) {
            const answer = plan.isLoose
              ? await database.transactionAs(caller, (alone) => alone.query(text, values))
              : await db.query(text, values)
            plan.seen++
            plan.texts.push(text)
            wasEffect ||= text.includes('insert into app.billing_events')
            if (plan.seen === plan.breakAt) throw new Broken(text)
            return answer as never
          },
        }),
      )
      if (wasEffect && plan.breakAt === 'commit') throw new Broken('the answer to commit was lost')
      return result
    },
  }
}

// Many calls of the whole server each: slow on a busy machine.
let shop: Shop
let inner: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const database = await createTestDatabase()
  inner = openDatabase(database.url, createLog('silent'))
  const opened = await openShop({ databaseUrl: database.url }, { database: fragile(inner) })
  const { url: databaseUrl, superuserUrl, sql } = database
  shop = { ...opened, server: { ...opened.server, databaseUrl, superuserUrl, sql } }
  drop = database.drop
})
afterAll(async () => {
  await shop.close()
  await drop()
})

const factsOf = async (account: string) =>
  (
    await shop.server.sql(
      `select (select plan_type from app.user_plans where user_id = $1) as plan,
        (select count(*)::int from app.billing_events e join app.billing_customers c using (customer_id)
          where c.account_id = $1) as marks,
        (select count(*)::int from app.billing_invoices where account_id = $1) as invoices,
        (select count(*)::int from app.commissions where payer_id = $1) as lines,
        (select count(*)::int from app.mail_outbox m join app.profiles p on p.email = m.recipient where p.id = $1) as mails`,
      [account],
    )
  )[0]

const nothing = { plan: 'free', marks: 0, invoices: 0, lines: 0, mails: 0 }
const whole = { plan: 'pro', marks: 1, invoices: 1, lines: 1, mails: 1 }

describe('a failure between any two statements', () => {
  it('leaves no effect or the whole effect, and the whole effect after redelivery', async () => {
    const first = await makePayer(shop)
    const referrer = await makeUser(shop.server)
    const copies = await copyCustomer(shop, first.customer, 30)
    await shop.server.sql(
      `insert into app.referrals (referred_user_id, referrer_user_id) select u, $2 from unnest($1::uuid[]) u`,
      [copies.map(({ userId }) => userId), referrer.id],
    )
    const paid = (copy: (typeof copies)[number]) =>
      copy.events.find(({ type }) => type === 'invoice.paid')

    // How many statements there are.
    const [measured, ...others] = copies
    if (!measured) throw new Error('no copies')
    Object.assign(plan, { breakAt: 0, seen: 0, texts: [] })
    expect(await deliver(shop, paid(measured))).toBe(200)
    const statements = plan.seen
    expect(await factsOf(measured.userId)).toEqual(whole)
    expect(statements).toBeGreaterThan(8)
    expect(plan.texts.join('\n')).toMatch(
      /user_plans[^]*billing_invoices[^]*settle_invoice[^]*mail_outbox/,
    )

    let broken = 0
    for (const breakAt of [
      ...Array.from({ length: statements }, (_, i) => i + 1),
      'commit' as const,
    ]) {
      const copy = others[broken++]
      if (!copy) throw new Error('too few copies')
      Object.assign(plan, { breakAt, seen: 0 })
      expect(await deliver(shop, paid(copy))).toBe(500)
      expect(await factsOf(copy.userId)).toEqual(breakAt === 'commit' ? whole : nothing)
      Object.assign(plan, { breakAt: 0 })
      expect(await deliver(shop, paid(copy))).toBe(200)
      expect(await deliver(shop, paid(copy))).toBe(200)
      expect(await factsOf(copy.userId)).toEqual(whole)
    }
    expect(await plansOf(shop, copies.slice(0, broken + 1))).toEqual(Array(broken + 1).fill('pro'))
  })
})

it('the check notices when the mark is committed separately (control)', async () => {
  const first = await makePayer(shop)
  const [copy] = await copyCustomer(shop, first.customer, 1)
  const event = copy?.events.find(({ type }) => type === 'invoice.paid')
  Object.assign(plan, { isLoose: true, breakAt: 5, seen: 0, texts: [] })
  expect(await deliver(shop, event)).toBe(500)
  Object.assign(plan, { isLoose: false, breakAt: 0 })
  expect(await deliver(shop, event)).toBe(200)
  expect(await factsOf(copy?.userId ?? '')).toEqual({ ...nothing, marks: 1 })
})

describe('kill -9 of the process', () => {
  it('before the effect and within its transaction: whole after redelivery', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-billing-'))
    const start = () =>
      startBuilt({
        DATABASE_URL: shop.server.databaseUrl,
        DATA_DIR: dataDir,
        STRIPE_SECRET_KEY: secretKey,
        STRIPE_WEBHOOK_SECRET: webhookSecret,
        STRIPE_PRICE_PRO: prices.pro,
        STRIPE_PRICE_BUSINESS: prices.business,
        STRIPE_API_URL: shop.stripe.url,
      })
    const payers = [await makePayer(shop), await makePayer(shop)]
    const [ann, bob] = payers
    if (!ann || !bob) throw new Error('no payers')
    const paidBy = (customer: string) =>
      shop.stripe.events.find(
        ({ type, data }) =>
          type === 'invoice.paid' && (data.object as { customer?: unknown }).customer === customer,
      )
    const blocker = new pg.Client({ connectionString: shop.server.superuserUrl })
    await blocker.connect()
    try {
      // While the provider is being asked.
      let server = await start()
      shop.stripe.fault = (call) => {
        if (call === 'GET /v1/charges') server.process.kill('SIGKILL')
        return undefined
      }
      await expect(deliver({ server }, paidBy(ann.customer))).rejects.toThrow()
      await server.end('SIGKILL')
      shop.stripe.fault = () => undefined
      expect(await factsOf(ann.id)).toEqual({ ...nothing, lines: 0 })

      // Within the transaction, after the mark: another session holds the row of the plan.
      server = await start()
      await blocker.query('begin')
      await blocker.query('select from app.user_plans where user_id = $1 for update', [bob.id])
      const hanging = deliver({ server }, paidBy(bob.customer)).catch(() => 0)
      await vi.waitFor(
        async () =>
          expect(
            await shop.server.sql(
              `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update app.user_plans%'
                and datname = current_database()`,
            ),
          ).toHaveLength(1),
        { timeout: 240_000, interval: 25 },
      )
      await server.end('SIGKILL')
      await blocker.query('rollback')
      await hanging
      expect(await factsOf(bob.id)).toEqual(nothing)

      server = await start()
      for (const { customer } of payers)
        expect(await deliver({ server }, paidBy(customer))).toBe(200)
      expect(await server.end('SIGTERM')).toBe(0)
      for (const { id } of payers) expect(await factsOf(id)).toEqual({ ...whole, lines: 0 })
      expect(await planOf(shop, ann)).toBe('pro')
    } finally {
      await blocker.end()
      await rm(dataDir, { recursive: true, force: true })
    }
  })
})
