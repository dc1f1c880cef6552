import { ownHostsOf } from '#domain/destinations.ts'
import type { Context } from '../context.ts'
import { readJson } from '../http/body.ts'
import { checkUrls } from './check-urls.ts'
import {
  type Answer,
  compileDelete,
  compileInsert,
  compileUpdate,
  maxRows,
  type Statement,
} from './compile.ts'
import { countVisit, countsOneVisit } from './count-visit.ts'
import { problems } from './errors.ts'
import { readIdempotencyKey, replay } from './idempotency.ts'
import type { Limits } from './limits.ts'
import { parseAccept, parsePreferences, type Preferences, type Shape } from './parse-headers.ts'
import { parseQuery, type Query } from './parse-query.ts'
import { present } from './present.ts'
import { answer, runAs } from './run.ts'
import { checkReadable, columnsFor, denied, type Scope } from './scope.ts'

type Row = Record<string, unknown>

interface Change {
  scope: Scope
  query: Query
  prefer: Preferences
  shape: Shape
  idempotencyKey?: string
}

/** POST on a relation: inserts one row or many, or upserts them. */
export async function insert(context: Context, request: Request, scope: Scope): Promise<Response> {
  const change = open(request, scope)
  const { query, prefer, shape } = change
  const insertable = columnsFor(scope, 'insert')
  const body = toRows(await readBody(request))
  const columns = query.columns
  const rows = body.map((row) => (columns ? pick(row, columns, prefer.missing) : row))
  for (const row of rows) checkWritable(scope, Object.keys(row), insertable)
  if (prefer.resolution === 'merge-duplicates' && !scope.access.update) throw denied(scope)
  for (const column of query.onConflict ?? []) {
    if (!scope.relation.columns.includes(column)) throw problems.unknownColumn(scope.name, column)
  }

  const ownHosts = ownHostsOf(context.config.publicUrl)
  const statements = groupByKeys(rows, prefer.missing === 'default').map(({ keys, members }) => {
    const checked = members.map((row) => checkUrls(scope.relation, row, ownHosts))
    return compileInsert(scope, query, keys, checked, prefer, shape)
  })
  const idempotencyKey = readIdempotencyKey(request.headers, scope.name, rows.length)
  let replayed = false
  const result = await commitChange(
    context,
    { ...change, ...(idempotencyKey !== undefined && { idempotencyKey }) },
    statements,
  ).catch(async (error: unknown) => {
    const first = await replay(context, error, change)
    replayed = true
    return first
  })
  const { key } = result
  const merged = prefer.resolution === 'merge-duplicates' && !result.inserted
  return present(request, {
    status: merged ? 200 : 201,
    body: result.body,
    shape,
    prefer,
    contentRange: `*/${prefer.count ? result.rows : '*'}`,
    replayed,
    ...(key !== null &&
      rows.length === 1 && {
        location: `/${scope.name}?${scope.relation.key}=eq.${encodeURIComponent(key)}`,
      }),
  })
}

/** PATCH on a relation; a public `click_count` change is taken for "count one visit". */
export async function update(
  context: Context,
  request: Request,
  scope: Scope,
  limits: Limits,
): Promise<Response> {
  const change = open(request, scope)
  const { query, prefer, shape } = change
  const body = await readBody(request)
  const code = countsOneVisit(scope, query, body)
  if (code !== undefined) {
    const visit = { code, prefer, shape }
    return countVisit(context, request, scope, query, visit, limits)
  }

  const updatable = columnsFor(scope, 'update')
  if (!isRow(body)) throw problems.body('The body of a PATCH is one JSON object')
  const row = query.columns ? pick(body, query.columns, prefer.missing) : body
  checkWritable(scope, Object.keys(row), updatable)
  checkFiltered(query, 'UPDATE')
  const changes = checkUrls(scope.relation, row, ownHostsOf(context.config.publicUrl))
  const nothing = Object.keys(changes).length === 0
  const statements = nothing ? [] : [compileUpdate(scope, query, changes, prefer, shape)]
  return presentChange(request, await commitChange(context, change, statements), change)
}

/** DELETE on a relation. */
export async function remove(context: Context, request: Request, scope: Scope): Promise<Response> {
  const change = open(request, scope)
  if (!scope.access.delete) throw denied(scope)
  checkFiltered(change.query, 'DELETE')
  const statement = compileDelete(scope, change.query, change.prefer, change.shape)
  return presentChange(request, await commitChange(context, change, [statement]), change)
}

function open(request: Request, scope: Scope): Change {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  const query = parseQuery(scope.name, new URL(request.url).searchParams)
  if (query.limit !== undefined || query.offset > 0) throw problems.limitedWrite()
  checkReadable(scope, query)
  return { scope, query, prefer, shape }
}

/** An `and=()` with nothing in it is no filter: the parser refuses it, so any filter has a condition. */
function checkFiltered(query: Query, verb: 'UPDATE' | 'DELETE'): void {
  if (query.filters.length === 0) throw problems.unfiltered(verb)
}

/** Runs the change; what the client's preferences forbid is rolled back. */
async function commitChange(
  context: Context,
  change: Change,
  statements: Statement[],
): Promise<Answer> {
  const { scope, prefer, shape, idempotencyKey } = change
  const most = prefer.maxAffected ?? (prefer.return === 'representation' ? maxRows : Infinity)
  const { identity, requestId } = scope
  const run = {
    identity,
    readOnly: false,
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(requestId !== undefined && { requestId }),
  }
  return runAs(context, run, async (db) => {
    const answers: Answer[] = []
    for (const statement of statements) answers.push(await answer(db, statement))
    const rows = answers.reduce((sum, one) => sum + one.rows, 0)
    if (rows > most) throw problems.tooManyAffected(rows)
    if (shape.single && rows !== 1) throw problems.notSingle(rows)
    const body = prefer.return === 'representation' ? join(answers, shape) : null
    const inserted = answers.at(-1)?.inserted ?? null
    return { body, rows, total: null, key: answers[0]?.key ?? null, inserted }
  })
}

/** Several statements answer as one list. */
function join(answers: Answer[], shape: Shape): string {
  if (shape.single) return answers.find((one) => one.rows === 1)?.body ?? 'null'
  const lists = answers.map((one) => (one.body ?? '[]').trim().slice(1, -1))
  return `[${lists.filter((list) => list !== '').join(',')}]`
}

function presentChange(
  request: Request,
  result: Answer,
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
  if (type !== null && !/^application\/json\s*(;|$)/i.test(type)) throw problems.contentType(type)
  const body = await readJson(request)
  if (body === undefined) throw problems.body('Empty or invalid json')
  return body
}

function toRows(body: unknown): Row[] {
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
      throw problems.unknownColumnOfBody(scope.name, column)
    if (!writable.includes(column)) {
      throw problems.denied(
        `column ${column} of view ${scope.name}`,
        scope.identity.role === 'anon',
      )
    }
  }
}

/** A column gets its default only when a statement does not name it, so rows with different keys go in apart. */
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
