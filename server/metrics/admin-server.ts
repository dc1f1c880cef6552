import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { Registry } from 'prom-client'
import type { TlsAsk } from '../http/tls-ask.ts'
import { listenOn, urlOfListener } from '../http/listen.ts'
import type { Logger } from '../log.ts'
import { write } from './families.ts'
import type { ReadMetrics } from './metrics.ts'

/** Parts of a server that has started. */
interface AdminParts {
  metrics: ReadMetrics
  health: Hono
}

interface AdminDeps {
  tlsAsk: Pick<TlsAsk, 'allows'>
  log: Logger
}

/**
 * Serves `/metrics`, `/health/*` and `/tls/ask` to the operator. It has no authentication: anyone who reaches the
 * port reads them. `/tls/ask` answers during the start too, because a TLS server in front needs it while the database is away.
 */
export async function startAdminServer(
  at: { host: string; port: number },
  { tlsAsk, log }: AdminDeps,
) {
  const appWith = ({ metrics, health }: AdminParts | typeof starting): Hono => {
    const app = new Hono()
    app.get('/metrics', async (c) => {
      if (!metrics) return c.text('The server is starting.', 503, retry)
      return c.body(await write(await metrics()), 200, {
        'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE,
        'Cache-Control': 'no-store',
      })
    })
    app.get('/tls/ask', (c) => {
      const [domain = '', ...others] = c.req.queries('domain') ?? []
      const isAllowed = others.length === 0 && tlsAsk.allows(domain)
      c.header('Cache-Control', 'no-store')
      return isAllowed ? c.text('allowed\n') : c.text('unknown\n', 404)
    })
    for (const path of ['/metrics', '/tls/ask'])
      app.all(path, (c) => c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' }))
    app.route('/health', health)
    app.onError((error, c) => {
      log.error({ err: error }, 'an admin request failed')
      return c.text('Something went wrong.', 500)
    })
    return app
  }
  let app = appWith(starting)
  const answer = getRequestListener((request, env) => app.fetch(request, env), {
    overrideGlobalObjects: false,
  })
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000 }
  const listener = createServer(timeouts, (request, response) => void answer(request, response))
  const address = await listenOn(listener, at)
  return {
    /** For example `http://127.0.0.1:9464`. */
    url: urlOfListener(address),
    /** The server has started. */
    attach(parts: AdminParts): void {
      app = appWith(parts)
    },
    close: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}

const retry = { 'Retry-After': '5' }

/** A server before it has started: it is alive. */
const starting = {
  metrics: undefined,
  health: new Hono()
    .get('/live', (c) => c.json({ status: 'ok' }))
    .get('/ready', (c) => c.json({ status: 'starting' }, 503, retry)),
}
