import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fillDocument } from '#server/pages/web-app.ts'
import { makeUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { call, paymentsAt, planOf, prices } from './shop.ts'

// Without any configuration, on this machine: the sandbox takes the money.
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

it("the sandbox's events come through the same code: paid, changed, disputed", async () => {
  const { sandbox } = server.context.billing
  if (!sandbox) throw new Error('no sandbox')
  const ann = await makeUser(server)
  const { body } = await call({ server }, ann, 'create-checkout', { priceId: prices.pro })
  expect(body.url).toMatch(new RegExp(`^${server.url}/sandbox/checkout/cs_test_\\w+$`))
  const page = await fetch(String(body.url))
  expect(page.status).toBe(200)
  await sandbox.actions.pay(String(body.url).split('/').at(-1) ?? '', {})
  await sandbox.settle()
  expect(await planOf({ server }, ann)).toBe('pro')

  const [row] = await server.sql<{ customer_id: string; provider: string }>(
    'select customer_id, provider from app.billing_customers where user_id = $1',
    [ann.id],
  )
  expect(row?.provider).toBe('sandbox')
  const customer = row?.customer_id ?? ''
  await sandbox.actions.switchPlan(customer, prices.business)
  await sandbox.settle()
  expect(await planOf({ server }, ann)).toBe('business')
  await sandbox.actions.openDispute(customer)
  await sandbox.settle()
  expect(await planOf({ server }, ann)).toBe('free')
  const marks = await server.sql(
    `select count(*)::int as applied from app.billing_events where provider = 'sandbox' and result = 'applied'`,
  )
  expect(marks[0]?.applied).toBeGreaterThan(4)
})

it('nobody can sign an event for the sandbox from outside', async () => {
  const response = await fetch(`${server.url}/functions/v1/stripe-webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': 't=1,v1=00' },
    body: '{}',
  })
  expect(response.status).toBe(400)
})

it('the page says who takes the money, and what for', async () => {
  const html = await readFile(new URL('../../web/index.html', import.meta.url), 'utf8')
  const metas = (payments: TestServer['context']['config']['payments']) => {
    const { config, tokens } = server.context
    const filled = fillDocument(html, { config: { ...config, payments }, tokens })
    return [...filled.matchAll(/name="hoplet-(payments|price-\w+)" content="([^"]*)"/g)].map(
      ([, name, content]) => [name, content],
    )
  }
  expect(metas({ provider: 'sandbox' })).toEqual([
    ['payments', 'sandbox'],
    ['price-pro', 'price_sandbox_pro'],
    ['price-business', 'price_sandbox_business'],
  ])
  const { payments } = paymentsAt('http://127.0.0.1:1')
  expect(metas({ ...payments, prices: { pro: 'price_a', business: 'price_b' } })).toEqual([
    ['payments', 'stripe'],
    ['price-pro', 'price_a'],
    ['price-business', 'price_b'],
  ])
  expect(metas(undefined)).toEqual([
    ['payments', 'none'],
    ['price-pro', ''],
    ['price-business', ''],
  ])
})
