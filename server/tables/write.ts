import { ownHostsOf } from '#domain/destinations.ts'
import { readJson } from '../http/body.ts'
import { checkUrls } from './check-urls.ts'
import {
  compileDelete,
  compileInsert,
  compileUpdate,
  type Statement,
  type StatementResult,
} from './compile.ts'
import { countsOneVisit, countVisit } from './count-visit.ts'
import { problems } from './errors.ts'
import { readIdempotencyKey, replayInsert } from './idempotency.ts'
import {
  isJson,
  parseAccept,
  parsePreferences,
  type Preferences,
  type Shape,
} from './parse-headers.ts'
import { parseQuery, type Query } from './parse-query.ts'
import { present } from './present.ts'
import { runAs, runStatement } from './run.ts'
import { checkReadable, columnsFor, denied, deniedColumn, type Scope } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'

type Row = Record<string, unknown>
type WriteDeps = Pick<TablesDeps, 'database' | 'config'>

/** A write as its headers and query describe it. */
interface Change {
  scope: Scope
  query: Query
  prefer: Preferences
  shape: Shape
  idempotencyKey?: string
}

/** POST on a relation: inserts one row or many, or upserts them. */
export async function insert(
  deps: WriteDeps,
  asked: TableRequest,
  scope: Scope,
): Promise<Response> {
  const { request } = asked
  const change = parseChange(request, scope)
  const { query, prefer, shape } = change
  const insertable = columnsFor(scope, 'insert')
  const body = toRows(await readBody(request), scope.maxRows)
  const { columns } = query
  const rows = body.map((row) => (columns ? pick(row, columns, prefer.missing) : row))
  for (const row of rows) checkWritable(scope, Object.keys(row), insertable)
  if (prefer.resolution === 'merge-duplicates' && !scope.access.update) throw denied(scope)
  for (const column of query.onConflict ?? []) {
    if (!scope.relation.columns.includes(column))
      throw problems.unknownColumn(scope.relation.name, column)
  }

  if (scope.identity.role !== 'service_role') asked.limits.claim(claimedNames(scope, rows))
  const ownHosts = ownHostsOf(deps.config.publicUrl)
  const statements = groupByKeys(rows, prefer.missing === 'default').map(({ keys, members }) => {
    const checked = members.map((row) => checkUrls(row, scope.rules.urls ?? {}, ownHosts))
    return compileInsert(scope, query, keys, checked, prefer, shape)
  })
  const idempotencyKey = readIdempotencyKey(request.headers, scope, rows.length)
  const keyed = { ...change, ...(idempotencyKey !== undefined && { idempotencyKey }) }
  let replayed = false
  const result = await commitChange(deps, asked, keyed, statements).catch((error: unknown) => {
    replayed = true
    return replayInsert(deps, error, change)
  })
  const merged = prefer.resolution === 'merge-duplicates' && !result.inserted
  const location = rows.length === 1 ? locationOf(scope, result.key) : undefined
  return present(request, {
    status: merged ? 200 : 201,
    body: result.body,
    shape,
    prefer,
    contentRange: `*/${prefer.count ? result.rows : '*'}`,
    replayed,
    ...(location !== undefined && { location }),
  })
}

function locationOf({ relation }: Scope, key: string[] | null): string | undefined {
  if (!key || key.length === 0) return undefined
  const filters = relation.key.map((column, at) => [column, `eq.${key[at] ?? ''}`])
  return `/${relation.name}?${new URLSearchParams(filters)}`
}

/** PATCH on a relation; a public change of a visit count means "count one visit". */
export async function update(
  deps: WriteDeps,
  asked: TableRequest,
  scope: Scope,
): Promise<Response> {
  const { request } = asked
  const change = parseChange(request, scope)
  const { query, prefer, shape } = change
  const body = await readBody(request)
  const visited = countsOneVisit(scope, query, body)
  if (visited !== undefined) return countVisit(deps, asked, scope, query, visited)

  const updatable = columnsFor(scope, 'update')
  if (!isRow(body)) throw problems.body('The body of a PATCH is one JSON object')
  const row = query.columns ? pick(body, query.columns, prefer.missing) : body
  checkWritable(scope, Object.keys(row), updatable)
  checkFiltered(query, 'UPDATE')
  const changes = checkUrls(row, scope.rules.urls ?? {}, ownHostsOf(deps.config.publicUrl))
  const nothing = Object.keys(changes).length === 0
  const statements = nothing ? [] : [compileUpdate(scope, query, changes, prefer, shape)]
  return presentChange(request, await commitChange(deps, asked, change, statements), change)
}

/** DELETE on a relation. */
export async function remove(
  deps: WriteDeps,
  asked: TableRequest,
  scope: Scope,
): Promise<Response> {
  const change = parseChange(asked.request, scope)
  if (!scope.access.delete) throw denied(scope)
  checkFiltered(change.query, 'DELETE')
  // A page that is deleted makes room for the next slug: as an insert, it is a guess.
  if (scope.rules.claims === 'slug' && scope.identity.role !== 'service_role') asked.limits.claim(1)
  const statement = compileDelete(scope, change.query, change.prefer, change.shape)
  const result = await commitChange(deps, asked, change, [statement])
  return presentChange(asked.request, result, change)
}

function parseChange(request: Request, scope: Scope): Change {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  const query = parseQuery(scope.relation.name, new URL(request.url).searchParams)
  if (query.limit !== undefined || query.offset > 0) throw problems.limitedWrite()
  checkReadable(scope, query)
  return { scope, query, prefer, shape }
}

/** Any filter has a condition: the parser refuses an empty `and=()`. */
function checkFiltered(query: Query, verb: 'UPDATE' | 'DELETE'): void {
  if (query.filters.length === 0) throw problems.unfiltered(verb)
}

/** Runs the change; rolls back what the client's preferences forbid. */
async function commitChange(
  deps: Pick<TablesDeps, 'database'>,
  { identity, requestId }: TableRequest,
  { scope, prefer, shape, idempotencyKey }: Change,
  statements: Statement[],
): Promise<StatementResult> {
  const listed = prefer.return === 'representation' ? scope.maxRows : Infinity
  const maxRows = prefer.maxAffected ?? listed
  const run = {
    identity,
    readOnly: false,
    requestId,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  }
  return runAs(deps, run, async (db) => {
    const results: StatementResult[] = []
    for (const statement of statements) results.push(await runStatement(db, statement))
    const rows = results.reduce((sum, result) => sum + result.rows, 0)
    if (rows > maxRows) throw problems.tooManyAffected(rows)
    if (shape.single && rows !== 1) throw problems.notSingle(rows)
    const body = prefer.return === 'representation' ? join(results, shape) : null
    const inserted = results.at(-1)?.inserted ?? null
    return { body, rows, total: null, key: results[0]?.key ?? null, inserted }
  })
}

/** The rows of several statements as one list. */
function join(results: StatementResult[], shape: Shape): string {
  if (shape.single) return results.find(({ rows }) => rows === 1)?.body ?? 'null'
  const lists = results.map(({ body }) => (body ?? '[]').trim().slice(1, -1))
  return `[${lists.filter((list) => list !== '').join(',')}]`
}

function presentChange(
  request: Request,
  result: StatementResult,
  { prefer, shape }: Change,
): Promise<Response> {
  // A deletion leaves no rows that a range could name.
  const range = result.rows === 0 || request.method === 'DELETE' ? '*' : `0-${result.rows - 1}`
  return present(request, {
    status: prefer.return === 'representation' ? 200 : 204,
    body: result.body,
    shape,
    prefer,
    contentRange: `${range}/${prefer.count ? result.rows : '*'}`,
  })
}

async function readBody(request: Request): Promise<unknown> {
  const type = request.headers.get('content-type')
  if (type !== null && !isJson(type)) throw problems.contentType(type)
  const body = await readJson(request)
  if (body === undefined) throw problems.body('Empty or invalid json')
  return body
}

/** How many names of the `/{code}` namespace the rows ask for. */
function claimedNames({ rules }: Scope, rows: Row[]): number {
  const { claims } = rules
  return claims === undefined ? 0 : rows.filter((row) => (row[claims] ?? '') !== '').length
}

function toRows(body: unknown, maxRows: number): Row[] {
  const rows = Array.isArray(body) ? (body as unknown[]) : [body]
  if (rows.length > maxRows) throw problems.body(`At most ${maxRows} rows at once`)
  if (!rows.every(isRow)) throw problems.body('The body must be a JSON object or a list of objects')
  return rows
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The keys named by `columns`; one that a row lacks is null, or absent when it gets the database's default. */
function pick(row: Row, columns: readonly string[], missing: 'null' | 'default'): Row {
  return Object.fromEntries(
    columns
      .filter((column) => missing === 'null' || Object.hasOwn(row, column))
      .map((column) => [column, Object.hasOwn(row, column) ? row[column] : null]),
  )
}

function checkWritable(scope: Scope, columns: string[], writable: readonly string[]): void {
  for (const column of columns) {
    if (!scope.relation.columns.includes(column))
      throw problems.unknownColumnOfBody(scope.relation.name, column)
    if (!writable.includes(column)) throw deniedColumn(scope, column)
  }
}

/** A column gets its default only when a statement does not name it, so rows with different keys need statements of their own. */
function groupByKeys(rows: Row[], mayDiffer: boolean): { keys: string[]; members: Row[] }[] {
  const groups = new Map<string, { keys: string[]; members: Row[] }>()
  for (const row of rows) {
    const keys = Object.keys(row).sort()
    const id = JSON.stringify(keys)
    const group = groups.get(id) ?? { keys, members: [] }
    group.members.push(row)
    groups.set(id, group)
  }
  if (groups.size > 1 && !mayDiffer) throw problems.body('All object keys must match')
  const empty = groups.get('[]')
  if (groups.size > 20 || (empty && empty.members.length > 1)) {
    throw problems.body('Too many different sets of keys')
  }
  return [...groups.values()]
}
