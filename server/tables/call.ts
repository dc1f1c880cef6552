import { ownHostsOf } from '#domain/destinations.ts'
import { checkAppMayCall } from './app-limits.ts'
import type { ApiFunction } from './catalog.ts'
import { checkListedUrls } from './check-urls.ts'
import { type CallSource, compileCall, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import { isJson, parseAccept, parsePreferences } from './parse-headers.ts'
import { parseQuery } from './parse-query.ts'
import { present, rangeOf } from './present.ts'
import { readJson } from '../http/body.ts'
import { runAs, runStatement } from './run.ts'
import { checkReadable, openScope } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'

type Arguments = Record<string, unknown>

/** POST on `/rpc/{name}` with named arguments as a JSON object; GET and HEAD with them in the query, when it is stable. */
export async function call(
  deps: Pick<TablesDeps, 'database' | 'config'>,
  asked: TableRequest,
  name: string,
): Promise<Response> {
  const { request, identity, served } = asked
  const known = served.catalog.functions.get(name)
  if (!known) throw problems.unknownFunction(name, [])
  const rules = served.rules.functions[name] ?? {}
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading && request.method !== 'POST')
    throw problems.method(request.method, 'GET, HEAD, POST')
  if (reading && !known.stable) throw problems.method(request.method, 'POST')
  if (!known.roles.includes(identity.role))
    throw problems.denied(`function ${name}`, identity.role === 'anon')
  checkAppMayCall(name, rules, identity)

  const parameters = new URL(request.url).searchParams
  const given = reading ? takeArguments(known, parameters) : await readArguments(request)
  checkArguments(known, given)
  const checked = checkLists(asked, name, given, ownHostsOf(deps.config.publicUrl))
  if (rules.visits !== undefined) asked.limits.visit(String(given[rules.visits]))
  const source = { sql: known.sql, args: toParameters(known, checked) }
  return typeof known.returns === 'object'
    ? callForRows(deps, asked, known.returns.rows, known.stable, source, parameters)
    : callForValue(deps, asked, known, source, rules.claims === true)
}

async function callForValue(
  deps: Pick<TablesDeps, 'database'>,
  { request, identity, requestId, limits }: TableRequest,
  { returns, stable }: ApiFunction,
  source: CallSource,
  claims: boolean,
): Promise<Response> {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  if (prefer.maxAffected !== undefined) throw problems.maxAffectedOfValue()
  const statement = compileCall(source, returns)
  if (claims) limits.guesses.check()
  const result = await runAs(deps, { identity, readOnly: stable, requestId }, (db) =>
    runStatement(db, statement),
  ).catch((error: unknown) => {
    if (claims) limits.guesses.miss()
    throw error
  })
  const contentRange = `0-0/${prefer.count ? 1 : '*'}`
  const isVoid = returns === 'void'
  const body = isVoid ? null : (result.body ?? 'null')
  return present(request, { status: isVoid ? 204 : 200, body, shape, prefer, contentRange })
}

async function callForRows(
  deps: Pick<TablesDeps, 'database'>,
  { request, identity, requestId, served }: TableRequest,
  relation: string,
  stable: boolean,
  source: CallSource,
  parameters: URLSearchParams,
): Promise<Response> {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  // The function chose the rows, by their owner too: its query gets no condition but the client's own.
  const { rules, ...opened } = openScope(served, relation, identity)
  const { owner: _owner, ...otherRules } = rules
  const scope = { ...opened, rules: otherRules }
  const query = parseQuery(relation, parameters)
  checkReadable(scope, query)
  const statement = compileRead(scope, query, shape, prefer.count && 'exact', source)
  const result = await runAs(deps, { identity, readOnly: stable, requestId }, async (db) => {
    const found = await runStatement(db, statement)
    if (found.rows > (prefer.maxAffected ?? Infinity)) throw problems.tooManyAffected(found.rows)
    if (shape.single && found.rows !== 1) throw problems.notSingle(found.rows)
    return found
  })
  const total = result.total === null ? undefined : Number(result.total)
  const { status, contentRange } = rangeOf(query.offset, result.rows, total)
  return present(request, { status, body: result.body ?? '[]', shape, prefer, contentRange })
}

/** Takes the arguments out of the query; what stays are filters on the rows. */
function takeArguments(known: ApiFunction, parameters: URLSearchParams): Arguments {
  const given: Arguments = {}
  for (const { name } of known.args) {
    const value = parameters.getAll(name).at(-1)
    if (value !== undefined) given[name] = value
    parameters.delete(name)
  }
  if (typeof known.returns !== 'object') for (const [name, value] of parameters) given[name] = value
  return given
}

async function readArguments(request: Request): Promise<Arguments> {
  const type = request.headers.get('content-type')
  if (type !== null && !isJson(type)) throw problems.contentType(type)
  const body = (await readJson(request)) ?? {}
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw problems.body('Arguments are named: send a JSON object')
  }
  return { ...body }
}

function checkArguments({ name, args }: ApiFunction, given: Arguments): void {
  const names = Object.keys(given)
  const missing = args.some((arg) => !arg.optional && !Object.hasOwn(given, arg.name))
  const unknown = names.some((each) => !args.some((arg) => arg.name === each))
  if (missing || unknown) throw problems.unknownFunction(name, names)
}

/** Lists of rows inside an argument meet the same checks of addresses as rows of the relation itself. */
function checkLists(
  { served }: TableRequest,
  name: string,
  given: Arguments,
  ownHosts: readonly string[],
): Arguments {
  const checked = { ...given }
  for (const [argument, relationName] of Object.entries(
    served.rules.functions[name]?.rowsOf ?? {},
  )) {
    if (!Object.hasOwn(given, argument)) continue
    const urls = served.rules.relations[relationName]?.urls ?? {}
    const insertable = served.catalog.relations.get(relationName)?.access.authenticated?.insert
    checked[argument] = checkListedUrls(given[argument], urls, insertable ?? [], ownHosts)
  }
  return checked
}

function toParameters({ args }: ApiFunction, given: Arguments): CallSource['args'] {
  return args
    .filter((arg) => Object.hasOwn(given, arg.name))
    .map(({ name, type }) => ({ name, type, value: toText(given[name]) }))
}

/** A parameter as the driver sends it; PostgreSQL reads it as the argument's type. */
function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
