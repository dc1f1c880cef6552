import { Hono } from 'hono'
import type { Context } from '../context.ts'

/**
 * `/health/live`: the process answers. `/health/ready`: it can redirect visitors. A lost database alone does not make
 * it unready while memory has links to serve: otherwise a load balancer would turn a partial outage into a full one.
 */
export function createHealth(context: Pick<Context, 'visits' | 'draining'>): Hono {
  const health = new Hono()
  health.get('/live', (c) => c.json({ status: 'ok' }))
  health.get('/ready', (c) => {
    if (context.draining) return c.json({ status: 'draining' }, 503, { 'Retry-After': '5' })
    const { databaseDown, entries } = context.visits.status()
    if (!databaseDown) return c.json({ status: 'ok' })
    if (entries > 0) return c.json({ status: 'ok', database: 'unreachable' })
    return c.json({ status: 'unavailable', database: 'unreachable' }, 503, { 'Retry-After': '5' })
  })
  for (const path of ['/live', '/ready']) {
    health.all(path, (c) => c.text('Method Not Allowed', 405, { Allow: 'GET, HEAD' }))
  }
  return health
}
