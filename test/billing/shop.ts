import Stripe from 'stripe'
import { createConfig } from '#server/config.ts'
import type { Overrides } from '#server/context.ts'
import { parseVariables } from '#server/env.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { standInPrices } from '#test/stand-ins/stripe/catalog.ts'
import { secretKey, startStripeServer, type StripeServer } from '#test/stand-ins/stripe/server.ts'

export const webhookSecret = 'whsec_test'
export const prices = standInPrices

/** Settings of a server that calls Stripe at that address. */
export const paymentsAt = (apiUrl: string) => ({
  payments: { provider: 'stripe' as const, secretKey, webhookSecret, prices, apiUrl },
})

export interface Shop {
  server: TestServer
  stripe: StripeServer
  close(): Promise<void>
}

/** The whole server, beside a Stripe stand-in; the tests deliver its events. */
export async function openShop(
  config: Parameters<typeof startTestServer>[0] = {},
  overrides: Overrides = {},
): Promise<Shop> {
  const stripe = await startStripeServer()
  // Emails stay in the outbox.
  const mail = { ...createConfig(parseVariables({})).mail, pollIntervalMs: 2 ** 30 }
  const server = await startTestServer({ ...paymentsAt(stripe.url), mail, ...config }, overrides)
  // The run at start finds no stand-in, so it does not heal a loss that a test wants.
  await server.context.billing.reconcile()
  stripe.open(config.databaseUrl ?? server.databaseUrl)
  return {
    server,
    stripe,
    async close() {
      await server.close()
      await stripe.close()
    },
  }
}

type Place = Pick<Shop, 'server' | 'stripe'>

/** Calls a function; every response is JSON. */
export async function call(
  { server }: { server: Pick<TestServer, 'url'> },
  user: Pick<TestUser, 'headers'> | undefined,
  name: string,
  body: unknown = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${server.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...user?.headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** Opens a checkout and returns the session's id. */
export async function checkOut(shop: Place, user: TestUser, priceId: string): Promise<string> {
  const { status, body } = await call(shop, user, 'create-checkout', { priceId })
  if (status !== 200) throw new Error(`create-checkout answered ${status}: ${String(body.error)}`)
  return String(body.url).split('/').at(-1) ?? ''
}

/** A person who has paid; the events wait in `stripe.events`. */
export async function makePayer(
  shop: Place,
  priceId: string = prices.pro,
): Promise<TestUser & { customer: string }> {
  const user = await makeUser(shop.server)
  const session = await checkOut(shop, user, priceId)
  await shop.stripe.standIn.actions.pay(session, {})
  return { ...user, customer: await customerOf(shop, user) }
}

export async function customerOf({ server }: Place, user: TestUser): Promise<string> {
  const [row] = await server.sql<{ customer_id: string }>(
    'select customer_id from app.billing_customers where user_id = $1',
    [user.id],
  )
  return row?.customer_id ?? ''
}

const signer = new Stripe(secretKey)

/** The signature header that Stripe sends with that body. */
export function signed(payload: string, more: { timestamp?: number; secret?: string } = {}) {
  return signer.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, ...more })
}

/** Sends a body to the webhook; returns the status. */
export async function post(
  { server }: { server: Pick<TestServer, 'url'> },
  payload: string,
  signature: string | null = signed(payload),
): Promise<number> {
  const response = await fetch(`${server.url}/functions/v1/stripe-webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature !== null && { 'stripe-signature': signature }),
    },
    body: payload,
  })
  await response.arrayBuffer()
  return response.status
}

export const deliver = (
  shop: { server: Pick<TestServer, 'url'> },
  event: unknown,
): Promise<number> => post(shop, JSON.stringify(event))

/** Delivers the waiting events in order. */
export async function deliverAll(shop: Place): Promise<void> {
  for (const event of shop.stripe.events.splice(0)) {
    const status = await deliver(shop, event)
    if (status !== 200) throw new Error(`${event.type} was answered with ${status}`)
  }
}

export async function planOf({ server }: Pick<Shop, 'server'>, user: TestUser): Promise<string> {
  const { body } = await call({ server }, user, 'check-subscription')
  return String(body.plan)
}
