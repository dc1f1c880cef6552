import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'

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
]

/**
 * Any origin may use these doors: none reads a cookie for authorization, so another site can do no more with a person's
 * browser than any program without a token.
 */
export function cors(): MiddlewareHandler {
  // No allowHeaders: clients may send any header, for the same reason.
  const preflight = honoCors({ origin: '*', allowMethods: methods, maxAge: 3600 })
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') {
      const response = await preflight(c, next)
      response?.headers.set('Allow', `${methods.join(', ')}, OPTIONS`)
      return response
    }
    await next()
    // Headers set before the response make Hono copy it, body and all.
    c.res.headers.set('Access-Control-Allow-Origin', '*')
    c.res.headers.set('Access-Control-Expose-Headers', exposed.join(','))
  }
}
