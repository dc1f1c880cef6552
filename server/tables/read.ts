import type { Context } from '../context.ts'
import type { Transaction } from '../postgres/database.ts'
import { answer, runAs } from './run.ts'
import { type Answer, compileEstimate, compileRead, maxRows } from './compile.ts'
import { problems } from './errors.ts'
import { intersect, parseAccept, parsePreferences, parseRange } from './parse-headers.ts'
import { parseQuery } from './parse-query.ts'
import { present, rangeOf } from './present.ts'
import { checkReadable, type Scope, withLookup } from './scope.ts'
import type { MissLimit } from './limits.ts'

/** GET and HEAD on a relation. */
export async function read(
  context: Context,
  request: Request,
  scope: Scope,
  misses: MissLimit,
): Promise<Response> {
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  // The planner's guess includes rows that row security hides, so only the service gets to see it.
  const guessed = scope.identity.role === 'service_role'
  const count = prefer.count && (guessed ? prefer.count : 'exact')
  const parsed = parseQuery(scope.name, new URL(request.url).searchParams)
  const range = request.method === 'GET' ? parseRange(request.headers) : undefined
  const query = range ? { ...parsed, ...intersect(parsed, range) } : parsed
  checkReadable(scope, query)

  const asked = withLookup(scope, query)
  const guessing = asked.lookup !== undefined && asked.name === 'shortened_urls'
  if (guessing) misses.check()
  const { lookup, identity } = asked
  const result = await runAs(
    context,
    { identity, readOnly: true, ...(lookup !== undefined && { lookup }) },
    async (db) => {
      const found = await answer(db, compileRead(asked, query, shape, count))
      return { ...found, total: await totalOf(db, asked, query, count, found) }
    },
  )
  if (guessing && result.rows === 0) misses.count()
  if (shape.single && result.rows !== 1) throw problems.notSingle(result.rows)
  const { status, contentRange } = rangeOf(query.offset, result.rows, result.total)
  return present(request, { status, body: result.body ?? '[]', shape, prefer, contentRange })
}

async function totalOf(
  db: Transaction,
  scope: Scope,
  query: Parameters<typeof compileEstimate>[1],
  count: ReturnType<typeof parsePreferences>['count'],
  found: Answer,
): Promise<number | undefined> {
  if (!count) return undefined
  const counted = found.total === null ? undefined : Number(found.total)
  if (counted !== undefined && (count === 'exact' || counted <= maxRows)) return counted
  const { text, values } = compileEstimate(scope, query)
  const { rows } = await db.query<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>(
    text,
    values,
  )
  const planned = rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
  return Math.max(planned, counted ?? 0)
}
