import type { Door, RequestInfo } from '../http/door.ts'
import { identify } from '../tokens/identify.ts'
import { call } from './call.ts'
import { type Access, type Catalog, readCatalog } from './catalog.ts'
import { problemResponse, problems, toProblem } from './errors.ts'
import { limitsFor } from './limits.ts'
import { checkProfile } from './parse-headers.ts'
import { read } from './read.ts'
import { openScope } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'
import { insert, remove, update } from './write.ts'

/**
 * The table door: `/rest/v1/{relation}` and `/rest/v1/rpc/{function}`, in PostgREST's wire format over one schema.
 * Every request: limit, identify, parse, check the grants, compile, run as the identity's role, present. Errors are
 * `{code, details, hint, message}` (errors.ts has the catalog); a body has at most 64 KiB.
 */
export function createTablesDoor(deps: TablesDeps): Door {
  const catalog = keepCatalog(deps)
  // So that the first request does not have to wait; if it fails, the request tells why.
  void catalog().catch(() => {})
  return async (request, info) => {
    let anonymous = true
    try {
      const limits = limitsFor(deps.rateLimits, info.address)
      const identity = await identify(deps.tokens, request).catch((error: unknown) => {
        limits.request()
        throw error
      })
      anonymous = identity.role === 'anon'
      if (identity.role !== 'service_role') limits.request()
      checkProfile(request.headers, deps.schema)
      const served = { catalog: await catalog(), rules: deps.rules }
      const { requestId } = info
      return await answer(deps, { request, identity, limits, requestId, served })
    } catch (error) {
      return answerError(error, anonymous, info)
    }
  }
}

function answer(deps: TablesDeps, asked: TableRequest): Promise<Response> {
  const { request, identity, served } = asked
  const { kind, name } = parsePath(request.url)
  if (kind === 'function') return call(deps, asked, name)
  const verb = verbs[request.method]
  const scope = openScope(served, name, identity, verb)
  switch (verb) {
    case 'select':
      return read(deps, asked, scope)
    case 'insert':
      return insert(deps, asked, scope)
    case 'update':
      return update(deps, asked, scope)
    case 'delete':
      return remove(deps, asked, scope)
    case undefined:
    default:
      throw problems.method(request.method, 'GET, HEAD, POST, PATCH, DELETE')
  }
}

const verbs: Readonly<Record<string, keyof Access>> = {
  GET: 'select',
  HEAD: 'select',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
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

function parsePath(url: string): { kind: 'relation' | 'function'; name: string } {
  const path = new URL(url).pathname.replace(/^\/rest\/v1\//, '').replace(/\/$/, '')
  const [, rpc, encoded] = /^(rpc\/)?([A-Za-z0-9_%.-]{1,200})$/.exec(path) ?? []
  const name = encoded === undefined ? undefined : decodeName(encoded)
  if (name === undefined) throw problems.path()
  return { kind: rpc ? 'function' : 'relation', name }
}

function decodeName(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
