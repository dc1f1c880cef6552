import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type Stripe from 'stripe'
import { createSandbox, type Sandbox } from '#server/billing/sandbox/sandbox.ts'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'

/** What befalls a call: `down` breaks the connection before, `lost` after it was answered; a number answers with that status. */
export type Fault = 'down' | 'lost' | number | undefined

export interface StripeServer {
  /** What STRIPE_API_URL is set to. */
  url: string
  /** The engine; there once `open` was called. */
  readonly sandbox: Sandbox
  /** `POST /v1/customers`, as they came. */
  calls: string[]
  /** Everything that happened, oldest first; nothing is delivered by itself. */
  events: Stripe.Event[]
  fault: (call: string) => Fault
  /** In milliseconds, before each answer. */
  delay: number
  /** The tables that hold the provider's objects. */
  open(databaseUrl: string): void
  close(): Promise<void>
}

export const secretKey = 'sk_test_local'

/** A server that answers as the Stripe API does, over the sandbox's engine, and fails as it is told. */
export async function startStripeServer(): Promise<StripeServer> {
  let engine: Sandbox | undefined
  let database: Database | undefined
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const stripe: StripeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get sandbox() {
      if (!engine) throw new Error('not open')
      return engine
    },
    calls: [],
    events: [],
    fault: () => undefined,
    delay: 0,
    open(databaseUrl) {
      const log = createLog('silent')
      database = openDatabase(databaseUrl, log)
      engine = createSandbox({ database, log, secretKey })
      engine.onEvent(async (event) => void stripe.events.push(event))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await engine?.close()
      await database?.close()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '' } = request
    const call = `${method} ${url.split('?', 1)[0]}`
    stripe.calls.push(call)
    const fault = engine ? stripe.fault(call) : 503
    if (fault === 'down') return void request.socket.destroy()
    if (typeof fault === 'number') {
      response.writeHead(fault, {
        'content-type': 'application/json',
        'stripe-should-retry': 'false',
      })
      return void response.end(JSON.stringify({ error: { type: 'api_error', message: 'no' } }))
    }
    if (stripe.delay > 0) await sleep(stripe.delay)
    const headers = new Headers()
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === 'string') headers.set(name, value)
    const body = Buffer.concat(chunks).toString()
    const answered = await stripe.sandbox.fetch(`${stripe.url}${url}`, {
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
