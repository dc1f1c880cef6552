import { defaultMaxBytes } from '../http/body.ts'
import { openApiResponse } from '../http/openapi.ts'
import type { RequestInfo } from '../http/router.ts'
import { isAdmin } from '../tokens/person.ts'
import { countAccountRequest } from '../tokens/request-limits.ts'
import { identify, type Identity } from '../tokens/tokens.ts'
import { call } from './call.ts'
import { type Access, type Catalog, readCatalog } from './catalog/catalog.ts'
import { problemResponse, problems, quotaOf, toProblem } from './errors.ts'
import { readIdempotency } from './idempotency.ts'
import { type Limits, limitsFor } from './limits.ts'
import { describeTables } from './openapi/openapi.ts'
import { checkProfile, parseAccept, parsePreferences } from './parse/parse-headers.ts'
import { read } from './read.ts'
import type { FunctionRules, SchemaRules } from './rule-types.ts'
import { openScope, type Scope } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'
import { insert, remove, replace, update } from './write.ts'

/**
 * The table door: `/rest/v1/{relation}` and `/rest/v1/rpc/{function}`, in PostgREST's wire format over one schema.
 * Every request: limit, identify, parse, check the grants, compile, run as the identity's role, present. Errors are
 * `{code, details, hint, message}` (errors.ts has the catalog); a body has at most 64 KiB.
 *
 * @returns takes who asks as `known` from another door of this process, which has identified them and counted the request
 */
export function createTablesDoor(
  deps: TablesDeps,
): (request: Request, info: RequestInfo, known?: Identity) => Promise<Response> {
  const catalog = keepCatalog(deps)
  // So that the first request does not have to wait; if it fails, the request tells why.
  void catalog().catch(() => {})
  return async (request, info, known) => {
    let anonymous = true
    try {
      const limits = limitsFor(deps.rateLimits, info.address)
      const identity = known ?? (await identifyWithin(limits, deps, request))
      anonymous = identity.role === 'anon'
      if (!known) {
        const { isKey, wait } = countAccountRequest(deps, identity, info)
        if (wait !== undefined) throw problems.tooManyRequests(wait)
        if (identity.role !== 'service_role' && !isKey) limits.request()
      }
      const { headers } = request
      checkProfile(headers, deps.schema)
      const { pathname, searchParams: parameters } = new URL(request.url)
      if (isRoot(pathname)) return await describe(deps, await catalog(), identity, request)
      const answerAs = { prefer: parsePreferences(headers), shape: parseAccept(headers) }
      const served = { catalog: await catalog(), rules: deps.rules }
      const target = parsePath(pathname)
      const maxBytes = rulesOf(deps.rules, target)?.maxBytes ?? defaultMaxBytes
      const repeatable = await readIdempotency(request, identity, { maxBytes, ...deps })
      const asked = { deps, ...repeatable, parameters, ...answerAs, identity, limits, info, served }
      return await answerInRole(asked, target)
    } catch (error) {
      deps.tokens.members.recordRefused(error, request, info)
      const quota = quotaOf(error)
      if (quota) deps.quotaRefusals.add(quota)
      return answerError(error, anonymous, info)
    }
  }
}

/** An invented API key, and any other token that is refused, counts against the address: the key before the database is asked. */
async function identifyWithin(
  limits: Limits,
  { tokens }: TablesDeps,
  request: Request,
): Promise<Identity> {
  let isCounted = false
  const count = () => {
    isCounted = true
    limits.request()
  }
  return identify(tokens, request, count).catch((error: unknown) => {
    if (!isCounted) count()
    throw error
  })
}

function isRoot(pathname: string): boolean {
  return /^\/rest\/v1\/?$/.test(pathname)
}

/** The caller's rights here, as OpenAPI. */
async function describe(
  { config, database, installation, rules }: TablesDeps,
  catalog: Catalog,
  identity: Identity,
  request: Request,
): Promise<Response> {
  const { method } = request
  if (method !== 'GET' && method !== 'HEAD') throw problems.method(method, 'GET, HEAD')
  const address = `${config.publicUrl}/rest/v1`
  const seesAdmin =
    identity.role === 'service_role' ||
    (identity.role === 'authenticated' && (await isAdmin(database, identity.claims)))
  const sees = { admin: seesAdmin, plans: installation.hasPlans() }
  const document = describeTables({ catalog, rules }, identity, address, sees)
  const answer = await openApiResponse(document, request)
  return method === 'HEAD' ? new Response(null, answer) : answer
}

function answer(asked: TableRequest, { kind, name }: Target): Promise<Response> {
  const { request, identity, served } = asked
  if (kind === 'function') return call(asked, name)
  if (asked.idempotency && served.rules.relations[name]?.keepsNoAnswers)
    asked.idempotency.keepsNoAnswer = true
  const method = methods[request.method]
  const scope = openScope(served, name, identity, method?.verb)
  if (!method) throw problems.method(request.method, 'GET, HEAD, POST, PUT, PATCH, DELETE')
  return method.handle(asked, scope)
}

/** With a second copy of the body, for a member with another role by now. */
function answerInRole(asked: TableRequest, target: Target): Promise<Response> {
  const { members } = asked.deps.tokens
  if (asked.identity.claims['person'] === undefined) return answer(asked, target)
  const copies = [asked.request, asked.request.clone()]
  return members.inPresentRole(asked.identity, (identity) =>
    answer({ ...asked, identity, request: copies.shift() ?? asked.request }, target),
  )
}

interface Method {
  verb: keyof Access
  handle(asked: TableRequest, scope: Scope): Promise<Response>
}

const methods: Readonly<Record<string, Method>> = {
  GET: { verb: 'select', handle: read },
  HEAD: { verb: 'select', handle: read },
  POST: { verb: 'insert', handle: insert },
  PUT: { verb: 'insert', handle: replace },
  PATCH: { verb: 'update', handle: update },
  DELETE: { verb: 'delete', handle: remove },
}

/**
 * Reads the catalog once, and again after `notify hoplet_catalog` (which each migration sends) or after the listening
 * connection was lost. A failed read is tried again by the next request.
 */
function keepCatalog({ database, listener, schema }: TablesDeps): () => Promise<Catalog> {
  let current: Promise<Catalog> | undefined
  const forget = () => (current = undefined)
  listener.on('hoplet_catalog', forget, forget)
  return () => {
    if (current) return current
    const reading = readCatalog(database, schema)
    current = reading
    reading.catch(() => {
      if (current === reading) current = undefined
    })
    return reading
  }
}

function answerError(
  error: unknown,
  anonymous: boolean,
  { log, requestId }: RequestInfo,
): Response {
  const problem = toProblem(error, anonymous)
  if (problem) {
    if (problem.status >= 500) log.warn({ err: error }, 'table request refused for now')
    return problemResponse(problem)
  }
  log.error({ err: error }, 'table request failed')
  return problemResponse({
    status: 500,
    code: 'PGRSTX00',
    message: 'Something went wrong.',
    details: `Request ${requestId}`,
  })
}

function rulesOf({ functions }: SchemaRules, { kind, name }: Target): FunctionRules | undefined {
  return kind === 'function' ? functions[name] : undefined
}

interface Target {
  kind: 'relation' | 'function'
  name: string
}

function parsePath(pathname: string): Target {
  const path = pathname.replace(/^\/rest\/v1\//, '').replace(/\/$/, '')
  const [, rpc, encoded] = /^(rpc\/)?([A-Za-z0-9_%.-]{1,200})$/.exec(path) ?? []
  if (encoded === undefined) throw problems.path()
  try {
    return { kind: rpc ? 'function' : 'relation', name: decodeURIComponent(encoded) }
  } catch {
    throw problems.path()
  }
}
