import { randomUUID } from 'node:crypto'
import { Hono, type MiddlewareHandler } from 'hono'
import type { ServerResponse } from 'node:http'
import { reportProcedures } from './analytics/reports/procedures.ts'
import { sharedReportRoutes } from './analytics/shared/door.ts'
import { createAuthDoor } from './auth/door.ts'
import { createWellKnown } from './auth/oauth/discovery.ts'
import type { Context } from './context.ts'
import type { Logger } from './log.ts'
import { functionsDescription } from './functions/describe-functions.ts'
import { functionRoutes } from './functions/door.ts'
import { functionOperations } from './functions/operations.ts'
import { joinRoutes } from './leads/door.ts'
import { confirmRoutes, leaveRoutes } from './leads/mailed-pages.ts'
import { traceRequest } from './tracing/trace-request.ts'
import { addressOf, networkOf } from './http/client-address.ts'
import { doorOf } from './http/traffic.ts'
import { cors } from './http/cors.ts'
import { createErrorRouter } from './http/errors.ts'
import { createHealth } from './http/health.ts'
import type { HttpEnvironment, RequestInfo } from './http/router.ts'
import { securityHeaders } from './http/security-headers.ts'
import { createSecurityTxt } from './http/security-txt.ts'
import { toTryAgainPage } from './http/try-again-page.ts'
import { createMcpDoor } from './mcp/door.ts'
import { mediaRoutes, toMediaError } from './media/door.ts'
import { createDocs } from './pages/docs/door.ts'
import { pictureRoutes } from './pages/pictures.ts'
import { reportRoutes } from './reports/door.ts'
import { createTablesDoor } from './tables/door.ts'
import { apiRules } from './tables/rules.ts'
import { domainProcedures } from './domains/domain-procedures.ts'
import { suggestionProcedures } from './ai/suggest-codes.ts'
import { simulationProcedures } from './visits/rules/simulate.ts'
import { webhookOperations } from './webhooks/operations.ts'
import { archiveOperations } from './transfer/archive/archive-operations.ts'
import { invitationProcedures } from './spaces/invitation-links.ts'
import { movePreview } from './spaces/preview-move.ts'
import { archiveRoutes } from './transfer/archive/archive-routes.ts'
import { importOperations } from './transfer/operations.ts'
import { importRoutes } from './transfer/import-routes.ts'
import { webhookRoutes } from './webhooks/routes.ts'

/**
 * The doors in order. Visits to `/{code}` never get here: server.ts answers them first (see visits/).
 *
 * @param web everything else: the document and files of the single-page app (pages/web-app.ts)
 */
export function createApp(context: Context, web: Hono<HttpEnvironment>): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const procedures = {
    ...reportProcedures({ ...context, ...context.analytics }),
    ...simulationProcedures(context),
    ...suggestionProcedures(context),
    ...invitationProcedures(context),
    ...domainProcedures(context),
    preview_move: movePreview(context),
  }
  const tables = createTablesDoor({ ...context, schema: 'api', rules: apiRules, procedures })

  app.use(describeRequest(context), securityHeaders())
  for (const path of ['/auth/v1/*', '/rest/v1/*', '/functions/v1/*', '/media/*', '/og/*'])
    app.use(path, cors())
  app.route('/auth/v1', createAuthDoor(context))
  app.all('/rest/v1/*', (c) => tables(c.req.raw, c.get('info')))
  const mcp = createMcpDoor({ ...context, tables })
  app.all('/mcp', (c) => mcp(c.req.raw, c.get('info')))
  const functions = [...functionRoutes, ...webhookRoutes, ...importRoutes, ...archiveRoutes]
  const description = functionsDescription(functions, {
    ...functionOperations,
    ...webhookOperations,
    ...importOperations,
    ...archiveOperations,
  })
  app.route('/functions/v1', createErrorRouter<Context>([...functions, description], context))
  app.route('/media', createErrorRouter(mediaRoutes, context, toMediaError))
  app.route('/og', createErrorRouter(pictureRoutes, context))
  // Without CORS: no other origin may use it (http/guards.ts).
  app.get('/report/', (c) => c.redirect('/report', 308))
  app.route('/report', createErrorRouter(reportRoutes, context))
  const orTryAgain = toTryAgainPage(context)
  app.route('/analytics/shared', createErrorRouter(sharedReportRoutes, context, orTryAgain))
  // Beside the screen /audience.
  app.route('/audience/join', createErrorRouter(joinRoutes, context))
  app.route('/audience/confirm', createErrorRouter(confirmRoutes, context, orTryAgain))
  app.route('/audience/leave', createErrorRouter(leaveRoutes, context, orTryAgain))
  const { playMoney } = context.billing
  if (playMoney) app.route('/sandbox', playMoney)
  app.route('/.well-known', createWellKnown(context))
  app.route('/.well-known', createSecurityTxt(context))
  app.route('/health', createHealth(context))
  app.route('/docs', createDocs(context.config))
  app.route('/', web)

  app.onError((error, c) => {
    const { log, requestId } = c.get('info')
    log.error({ err: error }, 'request failed')
    return c.json(
      { code: 'unexpected_failure', message: 'Something went wrong.', request_id: requestId },
      500,
    )
  })
  return app
}

/** Gives each request an id and logs one line about it, without query, body or token. */
function describeRequest(
  context: Pick<Context, 'config' | 'hosts' | 'log' | 'analytics' | 'traffic'>,
): MiddlewareHandler<HttpEnvironment> {
  let warned = false
  return async (c, next) => {
    const started = performance.now()
    const { outgoing } = c.env
    const { headers } = c.env.incoming
    if (headers['x-forwarded-for'] && context.config.trustedProxies === 0 && !warned) {
      warned = true
      context.log.warn(
        'requests carry X-Forwarded-For, which is ignored: behind a proxy set TRUSTED_PROXIES, or all visitors share one rate limit',
      )
    }
    const facts: { request_id: string; trace_id?: string } = { request_id: randomUUID() }
    let log: Logger | undefined
    const info: RequestInfo = {
      address: addressOf(c.env.incoming, context.config.trustedProxies),
      place: context.hosts.placeOf(c.env.incoming),
      requestId: facts.request_id,
      // Most requests log nothing but their line below.
      get log() {
        return (log ??= context.log.child(facts))
      },
    }
    c.set('info', info)
    outgoing.setHeader('X-Request-Id', info.requestId)
    const request = {
      method: c.req.method,
      door: doorOf(c.req.path),
      headers,
      requestId: info.requestId,
    }
    await traceRequest(request, async (traceId) => {
      if (traceId !== undefined) facts.trace_id = traceId
      await next()
      return c.res.status
    })
    if (info.rateLimit) describeRateLimit(outgoing, info.rateLimit)
    if (info.accountId !== undefined)
      context.analytics.ownBrowsers.saw(info.accountId, info.address, headers['user-agent'] ?? '')
    const ms = performance.now() - started
    context.traffic.answered(c.req.path, c.res.status, ms)
    // Probes come every few seconds and say nothing new.
    const level = c.req.path.startsWith('/health/') ? 'debug' : 'info'
    context.log[level]({
      ...facts,
      method: c.req.method,
      path: loggedPath(c.req.path),
      status: c.res.status,
      ms: Math.round(ms),
      network: networkOf(info.address),
    })
  }
}

/** The addresses of a shared report, and of pages for the receiver of an email, are all that opens them. */
function loggedPath(path: string): string {
  return path
    .replace(/^(\/analytics\/shared\/|\/audience\/(?:confirm|leave)\/).+/, '$1…')
    .slice(0, 200)
}

/** By draft-ietf-httpapi-ratelimit-headers-10: `q` requests in `w` seconds; `r` are left, and all of them again in `t` seconds. */
function describeRateLimit(
  response: ServerResponse,
  { policy, tokens, fullInSeconds }: NonNullable<RequestInfo['rateLimit']>,
): void {
  const { name, burst, windowSeconds } = policy
  response.setHeader('RateLimit-Policy', `"${name}";q=${burst};w=${windowSeconds}`)
  response.setHeader('RateLimit', `"${name}";r=${tokens};t=${fullInSeconds}`)
}
