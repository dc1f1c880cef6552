import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { createApp } from './app.ts'
import type { Context } from './context.ts'
import { isForVisitsOnly, limitConnections } from './http/connection-limit.ts'
import type { HttpEnvironment } from './http/router.ts'
import { installationResponse, isInstallationPath } from './http/installation-id.ts'
import { hasApp, type HostPlace } from './http/public-site.ts'
import {
  answerUnreadable,
  isAmbiguous,
  logRefusal,
  malformedRequest,
  refuseRequest,
} from './http/refusals.ts'
import {
  redirectTo,
  unknownHostPage,
  type VisitResponse,
  withRequestId,
} from './visits/responses.ts'
import { isServedOnDomains } from '#domain/links/domain-paths.ts'

const maxUrlLength = 8_192

/** How long a client may take, in milliseconds. `connectionsCheckingInterval` is how often node:http looks. */
export const httpTimeouts = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
}

/** Closes a connection of node:http on which nothing moves; longer than any response takes to compute. */
const inactivityTimeoutMs = 120_000

/** Makes the HTTP server: plain visits on the fast lane, everything else through node:http. */
export function createHttpServer(context: Context, web: Hono<HttpEnvironment>): Server {
  const { log, traffic, visits } = context
  const { connectionsPerAddress: maxPerAddress, trustedProxies } = context.config
  const server = createServer(httpTimeouts, createRequestListener(context, web))
  server.timeout = inactivityTimeoutMs
  // Clients and proxies connect again, elsewhere: a request that met a connection being closed would fail.
  const areEnding = () => context.draining || !server.listening
  server.prependListener('request', (_request, response) => {
    if (areEnding()) response.shouldKeepAlive = false
  })
  answerUnreadable(server, log, traffic.refused)
  visits.attach(server, areEnding)
  limitConnections(server, {
    maxPerAddress,
    trustedProxies,
    log,
    onRefused: traffic.refusedConnection,
  })
  return server
}

/** `GET http://host/code`, as clients write to a proxy, is a request for `/code` (RFC 9112, section 3.2.2). */
function originFormOf(target: string): string {
  const [, path] = /^https?:\/\/[^/?#]+([^#]*)/i.exec(target) ?? []
  if (path === undefined) return target
  return path.startsWith('/') ? path : `/${path}`
}

/** The same target at a domain, from its `www.`. */
function toApex({ site }: HostPlace, target: string): VisitResponse {
  return redirectTo(site.publicUrl + target, site, 308)
}

function send(response: ServerResponse, { status, location, headers, body }: VisitResponse): void {
  const all = location === undefined ? headers : ['Location', location, ...headers]
  response.writeHead(status, all).end(body)
}

/** Load balancers ask for the health of a server by its address. */
function isProbe(target: string): boolean {
  return target.startsWith('/health/')
}

/** Visits to `/{code}` first, on bare node:http; everything else through the app. */
export function createRequestListener(
  context: Context,
  web: Hono<HttpEnvironment>,
): RequestListener {
  const app = createApp(context, web)
  const { hosts, log, traffic, visits } = context
  const refuse = (status: 400 | 414 | 429, request: IncomingMessage, response: ServerResponse) => {
    traffic.refused(status)
    refuseRequest(status, log, request, response)
  }
  const listener = getRequestListener(app.fetch, {
    errorHandler(error) {
      traffic.refused(400)
      return malformedRequest(log, error)
    },
  })
  return (request, response) => {
    if (isAmbiguous(request)) return refuse(400, request, response)
    const place = hosts.admit(request)
    request.url = originFormOf(request.url ?? '')
    if (isInstallationPath(request.url))
      return send(response, installationResponse(context.installation, request))
    if (place === undefined && !isProbe(request.url)) {
      const apex = hosts.apexOf(request)
      if (apex) return send(response, toApex(apex, request.url))
      traffic.refused(421)
      return send(response, withRequestId(unknownHostPage(), logRefusal(log, request, 421)))
    }
    if (visits.handle(request, response)) return
    if (place && !hasApp(place) && !isServedOnDomains(request.url))
      return visits.handleUnserved(request, response)
    if (isForVisitsOnly(request.socket)) return refuse(429, request, response)
    if ((request.url?.length ?? 0) > maxUrlLength) return refuse(414, request, response)
    void listener(request, response)
  }
}
