import { ownHostsOf } from '#domain/links/destinations.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { checkMayCall } from './limit-rights.ts'
import type { ApiFunction } from './catalog/catalog.ts'
import { checkRows, presentRows, runRows } from './bulk.ts'
import { checkListedUrls } from './checks/check-urls.ts'
import { type CallSource, compileCall, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import { passwordHashing } from './checks/hash-passwords.ts'
import { parseQuery } from './parse/parse-query.ts'
import type { FunctionRules } from './rule-types.ts'
import { checkSingle, present, presentPage } from './present.ts'
import { planRead } from './read-plan.ts'
import { openScope } from './scope.ts'
import { readArguments } from './read-body.ts'
import {
  type Row,
  runAs,
  runOne,
  runStatement,
  statementTimeoutsMs,
  type TableRequest,
} from './table-request.ts'
import { ifDefined } from '../primitives/if-defined.ts'

/** POST on `/rpc/{name}` with named arguments as a JSON object; GET and HEAD with them in the query, when it is stable. */
export async function call(asked: TableRequest, name: string): Promise<Response> {
  const { request, identity, served, parameters } = asked
  if (served.catalog.overloaded.has(name)) throw problems.ambiguousFunction(name)
  const known = orThrow(served.catalog.functions.get(name), () =>
    problems.unknownFunction(name, []),
  )
  const rules = served.rules.functions[name] ?? {}
  const reading = request.method === 'GET' || request.method === 'HEAD'
  if (!reading && request.method !== 'POST')
    throw problems.method(request.method, 'GET, HEAD, POST')
  if (reading && !known.stable) throw problems.method(request.method, 'POST')
  if (!known.roles.includes(identity.role))
    throw problems.denied(`function ${name}`, identity.role === 'anon')
  checkMayCall(name, rules, identity)
  if (asked.idempotency && rules.keepsNoAnswers) asked.idempotency.keepsNoAnswer = true

  const given = reading
    ? takeArguments(known, parameters)
    : await readArguments(request, rules.maxBytes)
  checkArguments(known, given)
  const checked = await checkLists(asked, name, given)
  const sourceOf = (args: Row) => ({ sql: known.sql, args: toParameters(known, args, reading) })
  const changed = ifDefined(rules.changes, (name) => given[name])
  if (Array.isArray(changed)) asked.limits.change(identity, changed.length)
  // The quota of links bounds those that make many.
  if (!known.stable && !rules.bulk) asked.limits.write(identity, given)
  if (rules.changesLinks && !rules.bulk) asked.limits.change(identity, 1)
  if (rules.guesses === true) asked.limits.claim(1)
  if (rules.visits !== undefined) asked.limits.visit(String(given[rules.visits]))
  return typeof known.returns === 'object'
    ? callForRows(asked, known.returns.rows, known.stable, sourceOf(checked))
    : callForValue(asked, known, { rules, given, checked, sourceOf })
}

interface ValueCall {
  rules: FunctionRules
  given: Row
  /** The arguments in the form to store. */
  checked: Row
  sourceOf: (args: Row) => CallSource
}

async function callForValue(
  asked: TableRequest,
  { name, returns, stable }: ApiFunction,
  { rules: { claims, bulk, changesLinks, timeLimitMs }, given, checked, sourceOf }: ValueCall,
): Promise<Response> {
  const { prefer, limits, shape, served, parameters, identity } = asked
  for (const [parameter, value] of parameters)
    if (parameter !== 'select' || value !== '*') throw problems.parametersOfValue(parameter)
  if (shape.csv) throw problems.mediaType('text/csv')
  if (prefer.maxAffected !== undefined) throw problems.maxAffectedOfValue()
  if (claims) limits.checkGuesses()
  const options = { readOnly: stable, changesLinks, timeLimitMs }
  const run = (args: Row) => runOne(asked, options, compileCall(sourceOf(args), returns))
  const running = bulk ? runRows(bulk.argument, checked, run) : run(checked)
  const result = await running.catch((error: unknown) => {
    if (claims) limits.missedGuess()
    throw error
  })
  const answer = asked.deps.procedures?.[name]
  if (answer)
    result.body = JSON.stringify(
      await answer(JSON.parse(result.body ?? 'null'), {
        timeoutMs: statementTimeoutsMs[identity.role],
        timeZone: prefer.timezone,
      }),
    )
  if (bulk && result.body !== null) {
    const rules = served.rules.relations[bulk.relation] ?? {}
    result.body = presentRows(result.body, given[bulk.argument], rules, limits)
  }
  return present(asked, {
    ...(returns === 'void'
      ? { status: 204, body: null }
      : { status: 200, body: result.body ?? 'null' }),
    contentRange: `0-0/${prefer.count ? 1 : '*'}`,
  })
}

async function callForRows(
  asked: TableRequest,
  relation: string,
  stable: boolean,
  source: CallSource,
): Promise<Response> {
  const { prefer, identity, served, parameters } = asked
  // The function chose the rows, by their owner too: its query gets no condition but the client's own.
  const { rules, ...opened } = openScope(served, relation, identity)
  const { owner: _owner, ...otherRules } = rules
  const scope = { ...opened, rules: otherRules }
  const query = parseQuery(parameters)
  const statement = compileRead(planRead(served, scope, query), asked, source)
  const result = await runAs(asked, { readOnly: stable }, async (db) => {
    const found = await runStatement(db, statement)
    if (found.rows > (prefer.maxAffected ?? Infinity)) throw problems.tooManyAffected(found.rows)
    checkSingle(asked, found.rows)
    return found
  })
  return presentPage(asked, query.offset, result)
}

/** Parameters about the rows of an answer; a function may have arguments with these names. */
const ofRows = new Set(['select', 'order', 'limit', 'offset', 'columns'])

/** Takes the arguments out of the query; the rest are filters on the rows. */
function takeArguments(known: ApiFunction, parameters: URLSearchParams): Row {
  const given: Row = {}
  for (const { name } of known.args) {
    const value = parameters.getAll(name).at(-1)
    if (value !== undefined) given[name] = value
    parameters.delete(name)
  }
  if (typeof known.returns === 'object') return given
  const others = new Set(parameters.keys())
  for (const name of others) {
    if (ofRows.has(name)) continue
    given[name] = parameters.getAll(name).at(-1)
    parameters.delete(name)
  }
  return given
}

function checkArguments({ name, args }: ApiFunction, given: Row): void {
  const names = Object.keys(given)
  const missing = args.some((arg) => !arg.optional && !Object.hasOwn(given, arg.name))
  const unknown = names.some((each) => !args.some((arg) => arg.name === each))
  if (missing || unknown) throw problems.unknownFunction(name, names)
}

/** Lists of rows inside an argument meet the same checks of addresses as rows of the relation itself; other arguments have a reader. */
async function checkLists(
  { served, deps, limits }: TableRequest,
  name: string,
  given: Row,
): Promise<Row> {
  const { rules } = served
  const ownHosts = ownHostsOf(deps.config)
  const checked = { ...given }
  const { bulk } = rules.functions[name] ?? {}
  if (bulk) {
    const ofRelation = rules.relations[bulk.relation] ?? {}
    const hash = passwordHashing({ deps }, ofRelation)
    const checks = { ownHosts, limits, hash, config: deps.config }
    checked[bulk.argument] = await checkRows(given[bulk.argument], ofRelation, checks)
  }
  for (const [argument, { relation, needed }] of Object.entries(
    rules.functions[name]?.rowsOf ?? {},
  )) {
    if (!Object.hasOwn(given, argument)) continue
    const urls = rules.relations[relation]?.urls ?? {}
    checked[argument] = checkListedUrls(given[argument], urls, needed, ownHosts)
  }
  for (const [argument, read] of Object.entries(rules.functions[name]?.reads ?? {}))
    checked[argument] = read(given[argument], { ownHosts })
  return checked
}

/** @param isText the values are texts of a query string, which PostgreSQL reads as the argument's type */
function toParameters({ args }: ApiFunction, given: Row, isText: boolean): CallSource['args'] {
  return args
    .filter((arg) => Object.hasOwn(given, arg.name))
    .map(({ name, type }) => {
      const value = given[name]
      const isJson = !isText && value != null && /^jsonb?$/.test(type)
      const text = isJson ? JSON.stringify(value) : toText(value, type.endsWith('[]'))
      return { name, type, value: text }
    })
}

/** A parameter as the driver sends it; PostgreSQL reads it as the argument's type. */
function toText(value: unknown, isArray: boolean): string | null {
  if (value === null || value === undefined) return null
  if (isArray && Array.isArray(value)) return `{${value.map(toElement).join(',')}}`
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An element of an array as PostgreSQL writes it. */
function toElement(value: unknown): string {
  const text = toText(value, Array.isArray(value))
  if (text === null) return 'null'
  return Array.isArray(value) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`
}
