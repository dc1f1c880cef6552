import { compileCall, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import { equalityOf } from './parse/parse-filters.ts'
import { checkSingle, present, rangeOf } from './present.ts'
import { type ReadPlan, withLookup } from './read-plan.ts'
import { columnsFor } from './scope.ts'
import { type Row, runAs, runStatement, type TableRequest } from './table-request.ts'

/**
 * Recognizes the specification's public `update click_count plus one by short_code`: a PATCH with that filter
 * and that key alone.
 *
 * @returns the key of the counted visit
 */
export function countsOneVisit(
  { scope, query }: ReadPlan,
  body: Row | undefined = {},
): string | undefined {
  const { visits } = scope.rules
  const [filter, ...otherFilters] = query.filters
  const [[column, value] = [], ...otherEntries] = Object.entries(body)
  if (!visits || otherFilters.length > 0 || otherEntries.length > 0) return undefined
  const equality = equalityOf(filter)
  const isCount = column === visits.column && typeof value === 'number'
  return isCount && equality?.column === visits.by ? equality.value : undefined
}

/** Counts one visit for any sent number: no client sets a count. */
export async function countVisit(
  asked: TableRequest,
  plan: ReadPlan,
  key: string,
): Promise<Response> {
  const { prefer, served } = asked
  const { scope } = plan
  const { visits } = scope.rules
  const counter = served.catalog.functions.get(visits?.function ?? '')
  if (!visits || !counter) throw problems.unknownFunction(visits?.function ?? '', [])
  columnsFor(scope, 'select')
  asked.limits.visit(key)
  const widened = withLookup(plan)
  const withRows = prefer.return === 'representation'
  const source = { sql: counter.sql, args: [{ name: visits.by, type: 'text', value: key }] }
  const { body, rows } = await runAs(asked, { lookup: widened.scope.lookup }, async (db) => {
    const counted = await runStatement(db, compileCall(source, counter.returns))
    const found = withRows
      ? await runStatement(db, compileRead(widened, asked))
      : { body: null, rows: counted.body === 'true' ? 1 : 0 }
    checkSingle(asked, found.rows)
    return found
  })
  return present(asked, {
    status: withRows ? 200 : 204,
    body,
    contentRange: rangeOf(asked, rows, rows),
  })
}
