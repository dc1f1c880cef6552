import type { HttpBindings } from '@hono/node-server'
import { type Context as HonoContext, Hono } from 'hono'
import type * as z from 'zod'
import type { OAuthScope } from '#domain/access/oauth-scopes.ts'
import type { Logger } from '../log.ts'
import type { HostPlace } from './public-site.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { isUuid } from '../primitives/uuid.ts'

/** Facts about a request that every door has. */
export interface RequestInfo {
  /** The client's address (see client-address.ts). */
  address: string
  /** Where the request arrived: the own host, or a domain. */
  place: HostPlace
  /** Sent back as X-Request-Id, and part of every log line about this request. */
  requestId: string
  log: Logger
  /** The person of the session that the request has shown to be alive, once a door has found that out. */
  personId?: string
  /** The account that they act for. */
  accountId?: string
  /** Remaining rate limit of its API key, for the headers of the answer. */
  rateLimit?: { policy: BucketPolicy; tokens: number; fullInSeconds: number }
}

/** The types of the Hono app and of every door mounted in it. */
export interface HttpEnvironment {
  Bindings: HttpBindings
  Variables: { info: RequestInfo }
}

/** One request at a route. Areas add their deps; guards add their results. */
export interface HttpCall {
  request: Request
  url: URL
  /** The named segments of the path. */
  params: Readonly<Record<string, string>>
  info: RequestInfo
  /** Ends the connection at once, and drops unsent data. */
  disconnect(): void
}

/** A UUID in the path. @throws `refusal` for another text */
export function uuidParameter(
  { params }: Pick<HttpCall, 'params'>,
  name: string,
  refusal: () => Error,
): string {
  const value = params[name]
  if (!isUuid(value)) throw refusal()
  return value
}

/** Runs before the response or the error of a request leaves, when a guard returns one under this name. */
interface BeforeAnswer {
  beforeAnswer?: () => Promise<void> | void
}

/**
 * A step before the handler. It throws to refuse the request; the fields of its result are added to the call, except
 * for `beforeAnswer`.
 */
export type Guard<Call extends HttpCall, Added extends object = object> = (
  call: Call,
) => Promise<(Added & BeforeAnswer) | void> | (Added & BeforeAnswer) | void

/** Requirements of a guard, for the description of its door (openapi.ts). */
export interface GuardFacts {
  caller?: 'person' | 'admin' | 'service_role'
  /** With it an app or an API key may come for the person. */
  scope?: OAuthScope
  body?: z.ZodType
  query?: z.ZodType
}

type Fields<Result> = [Exclude<Awaited<Result>, void>] extends [never]
  ? unknown
  : Exclude<Awaited<Result>, void>

/** Fields that a guard adds to the call. */
export type Added<OneGuard extends (call: never) => unknown> = Fields<ReturnType<OneGuard>>

/** The call after all guards, each of which must find its input; `never` when one does not. */
type After<Call, Guards> = Guards extends readonly [
  (call: infer Needed) => infer Result,
  ...infer Rest,
]
  ? Call extends Needed
    ? After<Call & Fields<Result>, Rest>
    : never
  : Call

type Complete<Call, Guards> = [After<Call, Guards>] extends [never]
  ? 'a guard lacks an earlier one'
  : unknown

export interface DoorRoute<Call extends HttpCall> {
  method: string
  /** Hono path. `?name=value` limits the route to that query. */
  path: string
  /** Descriptions of its guards, later ones first. */
  facts: GuardFacts
  run(call: Call): Promise<Response>
}

/** Makes the function that writes the lines of a door's route table: method, path, guards in order, handler. */
export function routesWith<Call extends HttpCall>() {
  return <const Guards extends readonly ((call: never) => unknown)[]>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    guards: Guards & Complete<Call, Guards>,
    handler: (call: After<Call, Guards>) => Promise<Response> | Response,
  ): DoorRoute<Call> => ({
    method,
    path,
    facts: Object.assign({}, ...guards.map(factsOf)) as GuardFacts,
    // The types above hold the list together; the loop below sees one guard at a time.
    run: (call) => runRoute(call, guards as readonly Guard<Call>[], handler as Handler<Call>),
  })
}

function factsOf(guard: ((call: never) => unknown) & { facts?: GuardFacts }) {
  return guard.facts
}

type Handler<Call> = (call: Call) => Promise<Response> | Response

async function runRoute<Call extends HttpCall>(
  call: Call,
  guards: readonly Guard<Call>[],
  handler: Handler<Call>,
): Promise<Response> {
  const endings: BeforeAnswer['beforeAnswer'][] = []
  let passed = call
  try {
    for (const guard of guards) {
      const { beforeAnswer, ...added }: BeforeAnswer = (await guard(passed)) ?? {}
      endings.push(beforeAnswer)
      passed = { ...passed, ...added }
    }
    return await handler(passed)
  } finally {
    for (const ending of endings) await ending?.()
  }
}

/** A door of the server with one protocol: its routes, and its format of errors. */
interface Door<Call extends HttpCall> {
  routes: readonly DoorRoute<Call>[]
  toCall(call: HttpCall): Call
  notFound(): Error
  methodNotAllowed(allow: string): Error
  /** @returns undefined for the unexpected, which app.ts answers with 500 */
  toResponse(error: unknown, call: HttpCall): Response | undefined
}

/** Builds the Hono app of a door: 404, 405 with `Allow`, and HEAD for every GET. */
export function createRouter<Call extends HttpCall>(door: Door<Call>): Hono<HttpEnvironment> {
  const app = new Hono<HttpEnvironment>()
  const methods = new Map<string, Set<string>>()
  for (const route of door.routes) {
    const [path = '', query] = route.path.split('?', 2)
    const allowed = methods.get(path) ?? new Set()
    methods.set(path, allowed.add(route.method))
    if (route.method === 'GET') allowed.add('HEAD')
    const wanted = [...new URLSearchParams(query)]
    app.on(route.method, path, async (c, next) => {
      const call = callOf(c)
      if (wanted.some(([name, value]) => call.url.searchParams.get(name) !== value)) return next()
      return route.run(door.toCall(call))
    })
  }
  for (const [path, allowed] of methods)
    app.all(path, () => Promise.reject(door.methodNotAllowed([...allowed].join(', '))))
  app.all('*', () => Promise.reject(door.notFound()))
  app.onError((error, c) => {
    const response = door.toResponse(error, callOf(c))
    if (!response) throw error
    return response
  })
  return app
}

function callOf(c: HonoContext<HttpEnvironment>): HttpCall {
  return {
    request: c.req.raw,
    url: new URL(c.req.url),
    params: c.req.param(),
    info: c.get('info'),
    disconnect: () => void c.env.incoming.socket.destroy(),
  }
}
