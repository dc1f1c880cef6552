import type { Context } from '../context.ts'
import type { Door, RequestInfo } from '../http/door.ts'
import { identify } from '../tokens/identify.ts'
import { call } from './call.ts'
import { problemResponse, problems, toProblem } from './errors.ts'
import type { Access } from './exposure.ts'
import { limitsFor } from './limits.ts'
import { checkProfile } from './parse-headers.ts'
import { read } from './read.ts'
import { openScope } from './scope.ts'
import { insert, remove, update } from './write.ts'

/**
 * The table door: `/rest/v1/{relation}` and `/rest/v1/rpc/{function}`, in PostgREST's wire format over the schema `api`.
 * Every request: limit, identify, parse, check the exposure, compile, run as the caller, present. Errors are
 * `{code, details, hint, message}` (errors.ts has the catalogue); at most 1,000 rows and a body of 64 KiB.
 */
export function createTablesDoor(context: Context): Door {
  return async (request, caller) => {
    let anonymous = true
    try {
      const limits = limitsFor(context.rateLimits, caller.address)
      const identity = await identify(context.tokens, request).catch((error: unknown) => {
        limits.request()
        throw error
      })
      anonymous = identity.role === 'anon'
      if (identity.role !== 'service_role') limits.request()
      checkProfile(request.headers)
      const { kind, name } = parsePath(request.url)
      if (kind === 'function')
        return await call(context, request, name, identity, limits, caller.requestId)

      const verb = verbs[request.method]
      const scope = { ...openScope(name, identity, verb), requestId: caller.requestId }
      switch (verb) {
        case 'select':
          return await read(context, request, scope, limits.misses)
        case 'insert':
          return await insert(context, request, scope)
        case 'update':
          return await update(context, request, scope, limits)
        case 'delete':
          return await remove(context, request, scope)
        case undefined:
        default:
          throw problems.method(request.method, 'GET, HEAD, POST, PATCH, DELETE')
      }
    } catch (error) {
      return answerError(error, anonymous, caller)
    }
  }
}

const verbs: Readonly<Record<string, keyof Access>> = {
  GET: 'select',
  HEAD: 'select',
  POST: 'insert',
  PATCH: 'update',
  DELETE: 'delete',
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
