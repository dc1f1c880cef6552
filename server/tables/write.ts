import { ownHostsOf } from '#domain/links/destinations.ts'
import type { Transaction } from '../postgres/database.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { checkRedirectStatus } from './checks/check-redirect-status.ts'
import { checkUrls } from './checks/check-urls.ts'
import {
  compileCount,
  compileDelete,
  compileInsert,
  compileUpdate,
  type Statement,
  type StatementResult,
} from './compile.ts'
import { countsOneVisit, countVisit } from './count-visit.ts'
import { problems } from './errors.ts'
import type { Shape } from './parse/parse-headers.ts'
import { passwordHashing } from './checks/hash-passwords.ts'
import { type Equality, equalityOf } from './parse/parse-filters.ts'
import { withNameKeys } from './name-keys.ts'
import { parseQuery } from './parse/parse-query.ts'
import type { Query } from './parse/query.ts'
import { checkSingle, present, rangeOf } from './present.ts'
import { planRead, type ReadPlan } from './read-plan.ts'
import { checkColumns, columnsFor, denied, type Scope } from './scope.ts'
import { readRows } from './read-body.ts'
import { type Row, runAs, runStatement, type TableRequest } from './table-request.ts'

/** POST on a relation: inserts one row or many, or upserts them. */
export async function insert(asked: TableRequest, scope: Scope): Promise<Response> {
  return insertWith(
    asked,
    await planWrite(asked, scope),
    await readRows(asked.request, scope.maxRows),
  )
}

/** PUT on a relation: inserts or replaces the one row that the filters on its primary key name. */
export async function replace(asked: TableRequest, scope: Scope): Promise<Response> {
  const plan = await planWrite(asked, scope)
  const named = namedByKey(plan)
  const rows = await readRows(asked.request, scope.maxRows)
  const [row] = rows
  const isSame = ({ column, value }: Equality) => row && asText(row[column]) === value
  if (rows.length !== 1 || !named.every(isSame)) throw problems.otherKey()
  const { onConflict: _, ...query } = plan.query
  const prefer = { ...asked.prefer, resolution: 'merge-duplicates' as const }
  return insertWith({ ...asked, prefer }, { ...plan, query: { ...query, filters: [] } }, rows)
}

/** The values of the primary key. @throws {ProtocolError} 405 PGRST105 when the filters are not just these */
function namedByKey({ scope, query }: ReadPlan): Equality[] {
  const { key } = scope.relation
  const named = query.filters.map((filter) => orThrow(equalityOf(filter), problems.notByKey))
  const columns = named.map(({ column }) => column)
  if (
    key.length === 0 ||
    columns.length !== key.length ||
    key.some((each) => !columns.includes(each))
  )
    throw problems.notByKey()
  return named
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

async function insertWith(asked: TableRequest, plan: ReadPlan, body: Row[]): Promise<Response> {
  const { prefer, limits } = asked
  const { scope, query } = plan
  const insertable = columnsFor(scope, 'insert')
  const rows = body.map((row) => pick(row, asked, query))
  for (const row of rows) checkWritable(scope, row, insertable)
  const isUpsert = prefer.resolution === 'merge-duplicates'
  if (isUpsert && !scope.access.update) throw denied(scope)
  const { columns } = scope.relation
  checkColumns(scope, query.onConflict ?? [], columns, problems.unknownColumn)
  if (isUpsert) limits.change(scope.identity, rows.length)
  limits.write(scope.identity, rows)

  if (scope.identity.role !== 'service_role') limits.claim(claimedNames(scope, rows))
  const hash = passwordHashing(asked, scope.rules)
  const checked = []
  for (const row of rows) checked.push(await hash(checkAddresses(asked, scope, row)))
  const statements = groupByKeys(checked, prefer).map(({ keys, members }) =>
    compileInsert(plan, asked, keys, members),
  )
  const result = await commitChange(asked, scope, statements)
  return present(asked, {
    status: insertStatus(asked, isUpsert && !result.inserted),
    body: result.body,
    contentRange: rangeOf(asked, 0, result.rows),
    location: rows.length === 1 ? locationOf(scope, result.key) : undefined,
  })
}

function insertStatus({ request, prefer }: TableRequest, isUpdate: boolean): number {
  if (request.method === 'PUT' && prefer.return !== 'representation') return 204
  return isUpdate ? 200 : 201
}

function locationOf({ relation }: Scope, key: StatementResult['key']): string | undefined {
  if (!key || key.length === 0) return undefined
  const filters = relation.key.map((column, at) => [column, `eq.${key[at] ?? ''}`])
  return `/${relation.name}?${new URLSearchParams(filters)}`
}

/** PATCH on a relation; a public change of a visit count means "count one visit". */
export async function update(asked: TableRequest, scope: Scope): Promise<Response> {
  const plan = await planWrite(asked, scope)
  const { query } = plan
  const [body, ...others] = await readRows(asked.request, scope.maxRows)
  const visited = countsOneVisit(plan, body)
  if (visited !== undefined) return countVisit(asked, plan, visited)

  const updatable = columnsFor(scope, 'update')
  if (!body || others.length > 0) throw problems.body('The body of a PATCH is one JSON object')
  const row = pick(body, asked, query)
  checkWritable(scope, row, updatable)
  checkFiltered(query, 'UPDATE')
  const changes = await passwordHashing(asked, scope.rules)(checkAddresses(asked, scope, row))
  const nothing = Object.keys(changes).length === 0
  const statements = nothing ? [] : [compileUpdate(plan, asked, changes)]
  const check = nothing ? undefined : (db: Transaction) => checkChanged(asked, plan, changes, db)
  return presentChange(asked, await commitChange(asked, scope, statements, check))
}

/** Counts the rows of a PATCH before it changes them. @throws {ProtocolError} when they are too many */
async function checkChanged(
  asked: TableRequest,
  plan: ReadPlan,
  changes: Row,
  db: Transaction,
): Promise<void> {
  const { identity, limits } = asked
  if (identity.role === 'service_role') return
  const { maxRows, relation } = plan.scope
  const isByKey = plan.query.filters.some(
    (filter) => relation.key.length === 1 && equalityOf(filter)?.column === relation.key[0],
  )
  const rows = isByKey ? 1 : (await runStatement(db, compileCount(plan, maxRows + 1))).rows
  if (rows > maxRows) throw problems.tooManyChanged(maxRows)
  limits.change(identity, rows)
  limits.write(identity, changes, rows)
}

/** DELETE on a relation. */
export async function remove(asked: TableRequest, scope: Scope): Promise<Response> {
  const plan = await planWrite(asked, scope)
  if (!scope.access.delete) throw denied(scope)
  checkFiltered(plan.query, 'DELETE')
  // A page that is deleted makes room for the next slug: as an insert, it is a guess.
  if (scope.rules.claims === 'slug' && scope.identity.role !== 'service_role') asked.limits.claim(1)
  const statement = compileDelete(plan, asked)
  return presentChange(asked, await commitChange(asked, scope, [statement]))
}

async function planWrite(asked: TableRequest, scope: Scope): Promise<ReadPlan> {
  const query = parseQuery(asked.parameters)
  if (query.limit !== undefined || query.offset > 0) throw problems.limitedWrite()
  return planRead(asked.served, scope, await withNameKeys(asked, scope, query))
}

/** Any filter has a condition: the parser refuses an empty `and=()`. */
function checkFiltered(query: Query, verb: 'UPDATE' | 'DELETE'): void {
  if (query.filters.length === 0) throw problems.unfiltered(verb)
}

function checkAddresses({ deps }: TableRequest, { rules }: Scope, row: Row): Row {
  checkRedirectStatus(row, rules, deps.config)
  for (const [column, read] of Object.entries(rules.reads ?? {}))
    if (column in row) row = { ...row, [column]: read(row[column]) }
  return checkUrls(row, rules.urls ?? {}, ownHostsOf(deps.config))
}

/** Runs the change; rolls back changes that the client's preferences forbid. */
async function commitChange(
  asked: TableRequest,
  scope: Scope,
  statements: Statement[],
  check?: (db: Transaction) => Promise<void>,
): Promise<StatementResult> {
  const { prefer, shape } = asked
  const withRows = prefer.return === 'representation'
  const maxRows = prefer.maxAffected ?? (withRows ? scope.maxRows : Infinity)
  const { changesLinks, timeLimitMs } = scope.rules
  return runAs(asked, { changesLinks, timeLimitMs }, async (db) => {
    await check?.(db)
    const results: StatementResult[] = []
    for (const statement of statements) results.push(await runStatement(db, statement))
    const rows = results.reduce((sum, result) => sum + result.rows, 0)
    if (rows > maxRows) throw problems.tooManyAffected(rows)
    checkSingle(asked, rows)
    return {
      body: withRows ? join(results, shape, statements[0]?.header ?? '') : null,
      rows,
      key: results[0]?.key ?? null,
      inserted: results.at(-1)?.inserted ?? null,
    }
  })
}

/** The rows of several statements as one list. */
function join(results: StatementResult[], { single, csv }: Shape, header: string): string {
  if (csv) {
    const lines = results.map(({ body }) => (body ?? '').slice(header.length))
    return header + lines.filter((each) => each !== '').join('\n')
  }
  if (single) return results.find(({ rows }) => rows === 1)?.body ?? 'null'
  const lists = results.map(({ body }) => (body ?? '[]').trim().slice(1, -1))
  return `[${lists.filter((list) => list !== '').join(',')}]`
}

function presentChange(asked: TableRequest, { body, rows }: StatementResult): Promise<Response> {
  const { request, prefer } = asked
  // A deletion leaves no rows that a range could name.
  const listed = request.method === 'DELETE' ? 0 : rows
  return present(asked, {
    status: prefer.return === 'representation' ? 200 : 204,
    body,
    contentRange: rangeOf(asked, listed, rows),
  })
}

/** How many names of the `/{code}` namespace the rows ask for. */
function claimedNames({ rules }: Scope, rows: Row[]): number {
  const { claims } = rules
  return claims === undefined ? 0 : rows.filter((row) => (row[claims] ?? '') !== '').length
}

/** The keys named by `columns`; one that a row lacks is null, or absent when it gets the database's default. */
function pick(row: Row, { prefer }: TableRequest, { columns }: Query): Row {
  if (!columns) return row
  return Object.fromEntries(
    columns
      .filter((column) => prefer.missing !== 'default' || Object.hasOwn(row, column))
      .map((column) => [column, Object.hasOwn(row, column) ? row[column] : null]),
  )
}

function checkWritable(scope: Scope, row: Row, writable: readonly string[]): void {
  checkColumns(scope, Object.keys(row), writable, problems.unknownColumnOfBody)
}

/**
 * A column gets its default only when a statement does not name it, so rows with different keys need separate statements: one for
 * all rows with the same keys, or, where the answer has the rows, for those that follow each other, so that they keep their order.
 */
function groupByKeys(
  rows: Row[],
  { missing, return: answer }: TableRequest['prefer'],
): { keys: string[]; members: Row[] }[] {
  const groups: { keys: string[]; members: Row[] }[] = []
  const latest = new Map<string, Row[]>()
  for (const row of rows) {
    const keys = Object.keys(row).sort()
    const id = JSON.stringify(keys)
    const members = latest.get(id)
    if (members && (answer !== 'representation' || members === groups.at(-1)?.members)) {
      members.push(row)
      continue
    }
    const group = { keys, members: [row] }
    groups.push(group)
    latest.set(id, group.members)
  }
  if (latest.size > 1 && missing !== 'default') throw problems.body('All object keys must match')
  const empty = rows.filter((row) => Object.keys(row).length === 0).length
  if (latest.size > 20 || empty > 1) throw problems.body('Too many different sets of keys')
  return groups
}
