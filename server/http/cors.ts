import { cors as honoCors } from 'hono/cors'

/**
 * The auth, table and function doors serve any origin: nothing here reads a cookie, so a foreign page can do no more
 * with a person's browser than any other program that has no token.
 */
export function cors() {
  return honoCors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    // No allowHeaders: whatever a client asks to send is allowed, for the same reason.
    exposeHeaders: [
      'content-range',
      'content-location',
      'preference-applied',
      'x-request-id',
      'retry-after',
      'link',
      'x-total-count',
      'x-supabase-api-version',
    ],
    maxAge: 3600,
  })
}
