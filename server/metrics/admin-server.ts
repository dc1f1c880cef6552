import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { Registry } from 'prom-client'
import type { Context } from '../context.ts'
import { createHealth } from '../http/health.ts'
import { listenOn, urlOfListener } from '../http/listen.ts'
import { createMetrics } from './metrics.ts'

export interface AdminServer {
  /** For example `http://127.0.0.1:9464`. */
  url: string
  close(): Promise<void>
}

/**
 * Serves `/metrics` and `/health/*` to the operator. It asks for no password: whoever reaches the
 * port reads them.
 *
 * @param server the public one
 */
export async function startAdminServer(
  context: Context,
  server: Server,
  at: { host: string; port: number },
): Promise<AdminServer> {
  const metrics = createMetrics({ context, server })
  const app = new Hono()
  app.get('/metrics', async (c) =>
    c.body(await metrics(), 200, {
      'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE,
      'Cache-Control': 'no-store',
    }),
  )
  app.all('/metrics', (c) => c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' }))
  app.route('/health', createHealth(context))
  app.onError((error, c) => {
    context.log.error({ err: error }, 'an admin request failed')
    return c.text('Something went wrong.', 500)
  })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  const timeouts = { headersTimeout: 10_000, requestTimeout: 30_000 }
  const listener = createServer(timeouts, (request, response) => void answer(request, response))
  const address = await listenOn(listener, at)
  return {
    url: urlOfListener(address),
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve())
        listener.closeAllConnections()
      }),
  }
}
