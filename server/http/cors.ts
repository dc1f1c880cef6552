import { cors as honoCors } from 'hono/cors'

/**
 * Any origin may use these doors: none reads a cookie for authorization, so another site can do no more with a person's
 * browser than any program without a token.
 */
export function cors() {
  return honoCors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
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
}
