import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type Stripe from 'stripe'
import { createStripeStandIn, type StripeStandIn } from './stand-in.ts'

/** How a call fails: `down` closes the connection before, `lost` after the work is done; a number is the response's status. */
export type Fault = 'down' | 'lost' | number | undefined

export interface StripeServer {
  /** The value of STRIPE_API_URL. */
  url: string
  /** Set once `open` was called. */
  readonly standIn: StripeStandIn
  /** For example `POST /v1/customers`, in order. */
  calls: string[]
  /** All events, oldest first; the tests deliver them. */
  events: Stripe.Event[]
  fault: (call: string) => Fault
  /** In milliseconds, before each response. */
  delay: number
  /** Awaited before each response. */
  hold: (call: string) => Promise<void>
  /** Keeps its objects in that database. */
  open(databaseUrl: string): void
  close(): Promise<void>
}

export const secretKey = 'sk_test_local'

/** Serves the stand-in over HTTP, and fails as it is told. */
export async function startStripeServer(): Promise<StripeServer> {
  let standIn: StripeStandIn | undefined
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const stripe: StripeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get standIn() {
      if (!standIn) throw new Error('not open')
      return standIn
    },
    calls: [],
    events: [],
    fault: () => undefined,
    delay: 0,
    hold: () => Promise.resolve(),
    open(databaseUrl) {
      standIn = createStripeStandIn({
        databaseUrl,
        secretKey,
        onEvents: (events) => stripe.events.push(...events),
      })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await standIn?.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '' } = request
    const call = `${method} ${url.split('?', 1)[0]}`
    stripe.calls.push(call)
    const fault = standIn ? stripe.fault(call) : 503
    if (fault === 'down') return void request.socket.destroy()
    if (typeof fault === 'number') {
      response.writeHead(fault, {
        'content-type': 'application/json',
        'stripe-should-retry': 'false',
      })
      return void response.end(JSON.stringify({ error: { type: 'api_error', message: 'no' } }))
    }
    if (stripe.delay > 0) await sleep(stripe.delay)
    await stripe.hold(call)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value)
    const body = Buffer.concat(chunks).toString()
    const answered = await stripe.standIn.fetch(`${stripe.url}${url}`, {
      method,
      headers,
      ...(body !== '' && { body }),
    })
    if (fault === 'lost') return void request.socket.destroy()
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.end(await answered.text())
  }
  return stripe
}
