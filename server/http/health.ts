import { Hono } from 'hono'
import type { Context } from '../context.ts'

/**
 * `/health/live`: the process answers. `/health/ready`: it can send visitors on. A lost database alone does not make
 * it unready, because known codes keep redirecting: else a load balancer would turn a partial outage into a whole one.
 */
export function createHealth(context: Pick<Context, 'visits' | 'draining'>): Hono {
  const health = new Hono()
  health.get('/live', (c) => c.json({ status: 'ok' }))
  health.get('/ready', (c) =>
    context.draining
      ? c.json({ status: 'draining' }, 503, { 'Retry-After': '5' })
      : c.json({ status: 'ok' }),
  )
  for (const path of ['/live', '/ready']) {
    health.all(path, (c) => c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' }))
  }
  return health
}
