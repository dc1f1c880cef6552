import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type MiddlewareHandler } from 'hono'
import { createAuthDoor } from './auth/door.ts'
import { createWellKnown } from './auth/oauth/well-known.ts'
import type { Context } from './context.ts'
import { createFunctionsDoor } from './functions/door.ts'
import { clientAddress } from './http/client-address.ts'
import { cors } from './http/cors.ts'
import type { Caller, Door } from './http/door.ts'
import { createHealth } from './http/health.ts'
import { securityHeaders } from './http/security-headers.ts'
import { createMediaDoor } from './media/door.ts'
import { createPicturesDoor } from './pages/pictures.ts'
import { createReportsDoor } from './reports/door.ts'
import { createTablesDoor } from './tables/door.ts'

interface Environment {
  Bindings: HttpBindings
  Variables: { caller: Caller }
}

/**
 * The doors in order. Visits to `/{code}` never come here: server.ts answers them first (see visits/).
 *
 * @param web everything that is no door: the single-page app's document and files (pages/web-app.ts)
 */
export function createApp(context: Context, web: Hono): Hono<Environment> {
  const app = new Hono<Environment>()
  const door = (path: string, open: Door) =>
    app.use(path, cors()).all(path, (c) => open(c.req.raw, c.get('caller')))

  const reports = createReportsDoor(context)

  app.use(describeCaller(context), securityHeaders(context))
  door('/auth/v1/*', createAuthDoor(context))
  door('/rest/v1/*', createTablesDoor(context))
  door('/functions/v1/*', createFunctionsDoor(context))
  door('/media/*', createMediaDoor(context))
  door('/og/*', createPicturesDoor(context))
  // No other origin may use it: see http/same-origin.ts.
  app.all('/report/*', (c) => reports(c.req.raw, c.get('caller')))
  const { sandbox } = context.billing
  if (sandbox) app.route('/sandbox', sandbox.pages)
  app.route('/.well-known', createWellKnown(context))
  app.route('/health', createHealth(context))
  app.route('/', web)

  app.onError((error, c) => {
    const { log, requestId } = c.get('caller')
    log.error({ err: error }, 'request failed')
    return c.json(
      { code: 'unexpected_failure', message: 'Something went wrong.', request_id: requestId },
      500,
    )
  })
  return app
}

/** Names each request, and logs one line about it: no query, no body, no token. */
function describeCaller(context: Pick<Context, 'config' | 'log'>): MiddlewareHandler<Environment> {
  let warned = false
  return async (c, next) => {
    const started = performance.now()
    const { socket, headers } = c.env.incoming
    const forwarded = headers['x-forwarded-for']
    if (forwarded && context.config.trustedProxies === 0 && !warned) {
      warned = true
      context.log.warn(
        'requests carry X-Forwarded-For, which is ignored: behind a proxy set TRUSTED_PROXIES, or all visitors share one rate limit',
      )
    }
    const caller: Caller = {
      address: clientAddress(
        socket.remoteAddress,
        Array.isArray(forwarded) ? forwarded.join(',') : forwarded,
        context.config.trustedProxies,
      ),
      requestId: randomUUID(),
      log: context.log,
    }
    caller.log = context.log.child({ request_id: caller.requestId })
    c.set('caller', caller)
    await next()
    c.res.headers.set('X-Request-Id', caller.requestId)
    caller.log.info({
      method: c.req.method,
      path: c.req.path.slice(0, 200),
      status: c.res.status,
      ms: Math.round(performance.now() - started),
      address: caller.address,
    })
  }
}
