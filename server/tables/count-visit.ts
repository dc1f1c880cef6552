import type { Context } from '../context.ts'
import { type Answer, compileCall, compileRead } from './compile.ts'
import type { Limits } from './limits.ts'
import type { Preferences, Shape } from './parse-headers.ts'
import type { Query } from './parse-query.ts'
import { problems } from './errors.ts'
import { present } from './present.ts'
import { answer, runAs } from './run.ts'
import { columnsFor, type Scope, withLookup } from './scope.ts'

/**
 * Recognises the specification's public `update click_count plus one by short_code` (§7): a PATCH of shortened_urls
 * with that one filter and that one key.
 *
 * @returns the short code whose visit it counts
 */
export function countsOneVisit(scope: Scope, query: Query, body: unknown): string | undefined {
  if (scope.name !== 'shortened_urls' || query.filters.length !== 1) return undefined
  if (typeof body !== 'object' || body === null || Object.keys(body).join() !== 'click_count')
    return undefined
  if (!('click_count' in body) || typeof body.click_count !== 'number') return undefined
  const [filter] = query.filters
  if (filter?.kind !== 'comparison' || filter.negated) return undefined
  if (filter.column !== 'short_code' || filter.operator !== 'eq') return undefined
  return typeof filter.value === 'string' ? filter.value : undefined
}

interface Visit {
  code: string
  prefer: Preferences
  shape: Shape
}

/** Counts one visit, whatever number was sent: nobody sets a count. */
export async function countVisit(
  context: Context,
  request: Request,
  scope: Scope,
  query: Query,
  { code, prefer, shape }: Visit,
  limits: Limits,
): Promise<Response> {
  columnsFor(scope, 'select')
  limits.visit(code)
  const asked = withLookup(scope, query)
  const { identity, lookup } = asked
  const whole = prefer.return === 'representation'
  const result = await runAs(
    context,
    { identity, readOnly: false, ...(lookup !== undefined && { lookup }) },
    async (db): Promise<Answer> => {
      const args = [{ name: 'short_code', type: 'text', value: code }]
      const counted = await answer(db, compileCall('count_visit', args, 'value'))
      const rows = counted.body === 'true' ? 1 : 0
      const found = whole
        ? await answer(db, compileRead(asked, query, shape, undefined))
        : { ...counted, body: null, rows }
      if (shape.single && found.rows !== 1) throw problems.notSingle(found.rows)
      return found
    },
  )
  return present(request, {
    status: whole ? 200 : 204,
    body: whole ? (result.body ?? '[]') : null,
    shape,
    prefer,
    contentRange: `${result.rows === 0 ? '*' : '0-0'}/${prefer.count ? result.rows : '*'}`,
  })
}
