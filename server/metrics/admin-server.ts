import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { Registry } from 'prom-client'
import { listenOn, urlOfListener } from '../http/listen.ts'
import type { Logger } from '../log.ts'
import { write } from './families.ts'
import type { ReadMetrics } from './metrics.ts'

export type AdminServer = Awaited<ReturnType<typeof startAdminServer>>

interface AdminDeps {
  metrics: ReadMetrics
  health: Hono
  log: Logger
}

/**
 * Serves `/metrics` and `/health/*` to the operator. It has no authentication: anyone who reaches the
 * port reads them.
 */
export async function startAdminServer(
  at: { host: string; port: number },
  { metrics, health, log }: AdminDeps,
) {
  const app = new Hono()
  app.get('/metrics', async (c) =>
    c.body(await write(await metrics()), 200, {
      'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE,
      'Cache-Control': 'no-store',
    }),
  )
  app.all('/metrics', (c) => c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' }))
  app.route('/health', health)
  app.onError((error, c) => {
    log.error({ err: error }, 'an admin request failed')
    return c.text('Something went wrong.', 500)
  })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000 }
  const listener = createServer(timeouts, (request, response) => void answer(request, response))
  const address = await listenOn(listener, at)
  return {
    /** For example `http://127.0.0.1:9464`. */
    url: urlOfListener(address),
    close: () =>
      new Promise<void>((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}
