import { ownHostsOf } from '#domain/destinations.ts'
import type { Context } from '../context.ts'
import { readJson } from '../http/body.ts'
import type { Identity } from '../tokens/tokens.ts'
import { checkAppMayCall } from './app-limits.ts'
import { checkListedUrls } from './check-urls.ts'
import { compileCall, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import { exposed } from './exposure.ts'
import { type ApiFunction, callable } from './functions.ts'
import type { Limits } from './limits.ts'
import { parseAccept, parsePreferences } from './parse-headers.ts'
import { parseQuery } from './parse-query.ts'
import { present, rangeOf } from './present.ts'
import { answer, runAs } from './run.ts'
import { checkReadable, openScope } from './scope.ts'

/** POST on `/rpc/{name}` with named arguments as a JSON object; GET and HEAD with them in the query, when it is stable. */
export async function call(
  context: Context,
  request: Request,
  name: string,
  identity: Identity,
  limits: Limits,
  requestId: string,
): Promise<Response> {
  const parameters = new URL(request.url).searchParams
  const known = callable.get(name)
  if (!known) throw problems.unknownFunction(name, [])
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading && request.method !== 'POST')
    throw problems.method(request.method, 'GET, HEAD, POST')
  if (reading && !known.stable) throw problems.method(request.method, 'POST')
  if (!known.roles.includes(identity.role)) {
    throw problems.denied(`function ${name}`, identity.role === 'anon')
  }
  checkAppMayCall(name, identity)
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  const given = reading ? takeArguments(known, parameters) : await readArguments(request)
  const ownHosts = ownHostsOf(context.config.publicUrl)
  const args = matchArguments(name, known, checkLists(known, given, ownHosts))
  for (const one of countedNames(name, given)) limits.visit(one)
  const run = { identity, readOnly: known.stable, requestId }

  if (typeof known.returns !== 'object') {
    if (prefer.maxAffected !== undefined) throw problems.maxAffectedOfValue()
    const returns = known.returns
    const result = await runAs(context, run, (db) => answer(db, compileCall(name, args, returns)))
    const contentRange = `0-0/${prefer.count ? 1 : '*'}`
    const status = returns === 'void' ? 204 : 200
    const body = returns === 'void' ? null : (result.body ?? 'null')
    return present(request, { status, body, shape, prefer, contentRange })
  }
  // The function chose the rows, by whose they are too: nothing joins its query but what the client asks for.
  const { owner: _owner, ...relation } = openScope(known.returns.rows, identity).relation
  const scope = { ...openScope(known.returns.rows, identity), relation }
  const query = parseQuery(scope.name, parameters)
  checkReadable(scope, query)
  const exact = prefer.count && 'exact'
  const statement = compileRead(scope, query, shape, exact, { name, args })
  const result = await runAs(context, run, async (db) => {
    const found = await answer(db, statement)
    if (found.rows > (prefer.maxAffected ?? Infinity)) throw problems.tooManyAffected(found.rows)
    if (shape.single && found.rows !== 1) throw problems.notSingle(found.rows)
    return found
  })
  const total = result.total === null ? undefined : Number(result.total)
  const { status, contentRange } = rangeOf(query.offset, result.rows, total)
  return present(request, { status, body: result.body ?? '[]', shape, prefer, contentRange })
}

/** Both of these add one to a counter that visitors see or owners pay for, so each address may do it seldom. */
function countedNames(name: string, given: Record<string, unknown>): string[] {
  if (name === 'count_visit') return [String(given.short_code)]
  if (name === 'increment_bio_visit') return [String(given.slug)]
  return []
}

/** Takes the arguments out of the query; what stays are filters on the rows. */
function takeArguments(known: ApiFunction, parameters: URLSearchParams): Record<string, unknown> {
  const given: Record<string, unknown> = {}
  for (const { name } of known.args) {
    const value = parameters.getAll(name).at(-1)
    if (value !== undefined) given[name] = value
    parameters.delete(name)
  }
  if (typeof known.returns !== 'object') for (const [name, value] of parameters) given[name] = value
  return given
}

async function readArguments(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get('content-type')
  if (type !== null && !/^application\/json\s*(;|$)/i.test(type)) throw problems.contentType(type)
  const body = (await readJson(request)) ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw problems.body('Arguments are named: send a JSON object')
  }
  return { ...body }
}

function matchArguments(name: string, known: ApiFunction, given: Record<string, unknown>) {
  const names = Object.keys(given)
  const missing = known.args.some((arg) => !arg.optional && !Object.hasOwn(given, arg.name))
  const strange = names.some((one) => !known.args.some((arg) => arg.name === one))
  if (missing || strange) throw problems.unknownFunction(name, names)
  return known.args
    .filter((arg) => Object.hasOwn(given, arg.name))
    .map((arg) => ({ name: arg.name, type: arg.type, value: toText(given[arg.name]) }))
}

/** Lists of rows inside an argument meet the same checks of addresses as rows of the relation itself. */
function checkLists(
  known: ApiFunction,
  given: Record<string, unknown>,
  ownHosts: readonly string[],
): Record<string, unknown> {
  const checked = { ...given }
  for (const { name, rowsOf } of known.args) {
    const relation = rowsOf === undefined ? undefined : exposed.get(rowsOf)
    if (relation && Object.hasOwn(given, name)) {
      checked[name] = checkListedUrls(relation, given[name], ownHosts)
    }
  }
  return checked
}

/** A parameter as the driver sends it; PostgreSQL reads it as the argument's type. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
