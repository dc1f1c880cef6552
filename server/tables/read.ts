import type { Transaction } from '../postgres/database.ts'
import { compileEstimate, compileRead, type StatementResult } from './compile.ts'
import { problems } from './errors.ts'
import {
  intersect,
  parseAccept,
  parsePreferences,
  parseRange,
  type Preferences,
} from './parse-headers.ts'
import { parseQuery, type Query } from './parse-query.ts'
import { present, rangeOf } from './present.ts'
import { runAs, runStatement } from './run.ts'
import { checkReadable, type Scope, withLookup } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'

/** GET and HEAD on a relation. */
export async function read(
  deps: Pick<TablesDeps, 'database'>,
  { request, identity, limits, requestId }: TableRequest,
  scope: Scope,
): Promise<Response> {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  // The planner's guess includes rows that row security hides, so only the service gets to see it.
  const count = prefer.count && (identity.role === 'service_role' ? prefer.count : 'exact')
  const parsed = parseQuery(scope.relation.name, new URL(request.url).searchParams)
  const range = request.method === 'GET' ? parseRange(request.headers) : undefined
  const query = range ? { ...parsed, ...intersect(parsed, range) } : parsed
  checkReadable(scope, query)

  const widened = withLookup(scope, query)
  const { lookup } = widened
  const guessing = lookup !== undefined && scope.rules.lookup?.guessable === true
  if (guessing) limits.guesses.check()
  const run = { identity, readOnly: true, requestId, ...(lookup !== undefined && { lookup }) }
  const result = await runAs(deps, run, async (db) => {
    const found = await runStatement(db, compileRead(widened, query, shape, count))
    return { ...found, total: await totalOf(db, widened, query, count, found) }
  })
  if (guessing && result.rows === 0) limits.guesses.miss()
  if (shape.single && result.rows !== 1) throw problems.notSingle(result.rows)
  const { status, contentRange } = rangeOf(query.offset, result.rows, result.total)
  return present(request, { status, body: result.body ?? '[]', shape, prefer, contentRange })
}

async function totalOf(
  db: Transaction,
  scope: Scope,
  query: Query,
  count: Preferences['count'],
  found: StatementResult,
): Promise<number | undefined> {
  if (!count) return undefined
  const counted = found.total === null ? undefined : Number(found.total)
  if (counted !== undefined && (count === 'exact' || counted <= scope.maxRows)) return counted
  const { text, values } = compileEstimate(scope, query)
  const { rows } = await db.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
    text,
    values,
  )
  const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
  return Math.max(planned, counted ?? 0)
}
