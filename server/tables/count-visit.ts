import { compileCall, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import { parseAccept, parsePreferences } from './parse-headers.ts'
import type { Query } from './parse-query.ts'
import { present } from './present.ts'
import { runAs, runStatement } from './run.ts'
import { columnsFor, type Scope, withLookup } from './scope.ts'
import type { TableRequest, TablesDeps } from './table-request.ts'

/**
 * Recognizes the specification's public `update click_count plus one by short_code`: a PATCH with that filter
 * and that key alone.
 *
 * @returns the key whose visit it counts
 */
export function countsOneVisit(scope: Scope, query: Query, body: unknown): string | undefined {
  const { visits } = scope.rules
  const [filter] = query.filters
  if (!visits || query.filters.length !== 1 || filter?.kind !== 'comparison') return undefined
  if (typeof body !== 'object' || body === null) return undefined
  const [[column, value] = [], ...otherEntries] = Object.entries(body)
  if (column !== visits.column || typeof value !== 'number' || otherEntries.length > 0)
    return undefined
  if (filter.negated || filter.column !== visits.by || filter.operator !== 'eq') return undefined
  return typeof filter.value === 'string' ? filter.value : undefined
}

/** Counts one visit, whatever number was sent: no client sets a count. */
export async function countVisit(
  deps: Pick<TablesDeps, 'database'>,
  { request, identity, limits, requestId, served }: TableRequest,
  scope: Scope,
  query: Query,
  key: string,
): Promise<Response> {
  const { visits } = scope.rules
  const counter = served.catalog.functions.get(visits?.function ?? '')
  if (!visits || !counter) throw problems.unknownFunction(visits?.function ?? '', [])
  const prefer = parsePreferences(request.headers)
  const shape = parseAccept(request.headers)
  columnsFor(scope, 'select')
  limits.visit(key)
  const widened = withLookup(scope, query)
  const { lookup } = widened
  const withRows = prefer.return === 'representation'
  const run = { identity, readOnly: false, requestId, ...(lookup !== undefined && { lookup }) }
  const source = { sql: counter.sql, args: [{ name: visits.by, type: 'text', value: key }] }
  const result = await runAs(deps, run, async (db) => {
    const counted = await runStatement(db, compileCall(source, counter.returns))
    const found = withRows
      ? await runStatement(db, compileRead(widened, query, shape, undefined))
      : { ...counted, body: null, rows: counted.body === 'true' ? 1 : 0 }
    if (shape.single && found.rows !== 1) throw problems.notSingle(found.rows)
    return found
  })
  return present(request, {
    status: withRows ? 200 : 204,
    body: withRows ? (result.body ?? '[]') : null,
    shape,
    prefer,
    contentRange: `${result.rows === 0 ? '*' : '0-0'}/${prefer.count ? result.rows : '*'}`,
  })
}
