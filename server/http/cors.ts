import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'
import type { HttpEnvironment } from './router.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const exposed = [
  'content-range',
  'content-location',
  'preference-applied',
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'link',
  'location',
  'allow',
  'idempotency-replayed',
  'x-total-count',
  'x-supabase-api-version',
].join(',')

/**
 * Any origin may use these doors: none reads a cookie for authorization, so another site can do no more with a person's
 * browser than any program without a token.
 */
export function cors(): MiddlewareHandler<HttpEnvironment> {
  // No allowHeaders: clients may send any header, for the same reason.
  const preflight = honoCors({ origin: '*', allowMethods: methods, maxAge: 3600 })
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') {
      const response = await preflight(c, next)
      response?.headers.set('Allow', `${methods.join(', ')}, OPTIONS`)
      return response
    }
    // Hono copies a response to which headers are added, body and all.
    c.env.outgoing.setHeader('Access-Control-Allow-Origin', '*')
    c.env.outgoing.setHeader('Access-Control-Expose-Headers', exposed)
    return next()
  }
}
