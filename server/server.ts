import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { createApp } from './app.ts'
import type { Context } from './context.ts'
import { answerUnreadable, malformedRequest, refuseLongTarget } from './http/refusals.ts'

const maxUrlLength = 8_192

/** Makes the HTTP server: visits to `/{code}` first, on bare node:http; everything else through the app. */
export function createHttpServer(context: Context, web: Hono): Server {
  const app = createApp(context, web)
  const { log } = context
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => malformedRequest(log, error),
  })
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    connectionsCheckingInterval: 2_000,
  }
  const server = createServer(limits, (request, response) => {
    if (context.visits.handle(request, response)) return
    if ((request.url?.length ?? 0) > maxUrlLength) return refuseLongTarget(log, request, response)
    void listener(request, response)
  })
  answerUnreadable(server, log)
  context.visits.attach(server)
  return server
}
