import type { MiddlewareHandler } from 'hono'
import { cors as honoCors } from 'hono/cors'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Any origin may use these doors: none reads a cookie for authorization, so another site can do no more with a person's
 * browser than any program without a token.
 */
export function cors(): MiddlewareHandler {
  const answer = honoCors({
    origin: '*',
    allowMethods: methods,
    // No allowHeaders: clients may send any header, for the same reason.
    exposeHeaders: [
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
    ],
    maxAge: 3600,
  })
  return async (c, next) => {
    const response = await answer(c, next)
    if (c.req.method === 'OPTIONS') response?.headers.set('Allow', `${methods.join(', ')}, OPTIONS`)
    return response
  }
}
