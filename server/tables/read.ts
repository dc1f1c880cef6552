import { queryAs } from '../postgres/rows.ts'
import { compileRead } from './compile.ts'
import { intersect, parseRange } from './parse/parse-headers.ts'
import { withNameKeys } from './name-keys.ts'
import { parseQuery } from './parse/parse-query.ts'
import { presentPage } from './present.ts'
import { planRead, withLookup } from './read-plan.ts'
import type { Scope } from './scope.ts'
import { runOne, type TableRequest } from './table-request.ts'

/** GET and HEAD on a relation. */
export async function read(asked: TableRequest, scope: Scope): Promise<Response> {
  const { request, limits } = asked
  const parsed = await withNameKeys(asked, scope, parseQuery(asked.parameters))
  const range = request.method === 'GET' ? parseRange(request.headers) : undefined
  const query = range ? { ...parsed, ...intersect(parsed, range) } : parsed
  const plan = withLookup(planRead(asked.served, scope, query))
  const { lookup } = plan.scope
  const guessing = lookup !== undefined && scope.rules.lookup?.guessable === true
  if (guessing) limits.checkGuesses()
  const statement = compileRead(plan, asked)
  const result = await runOne(asked, { readOnly: true, lookup }, statement)
  if (lookup !== undefined && result.rows === 0) {
    const parameters = await withPresentKey(asked, scope, lookup)
    if (parameters) return read({ ...asked, parameters }, scope)
  }
  if (guessing && result.rows === 0) limits.missedGuess()
  return presentPage(asked, query.offset, result)
}

/** The query with the present key of a row that was looked up by a former one. */
async function withPresentKey(
  { deps, parameters }: TableRequest,
  { rules, relation }: Scope,
  lookup: string,
): Promise<URLSearchParams | undefined> {
  const { by, present } = rules.lookup ?? {}
  if (by === undefined || present === undefined) return undefined
  const former = lookup.slice(relation.name.length + 1)
  const caller = { role: 'hoplet_visits', readOnly: true } as const
  const [row] = await queryAs<{ key: string }>(deps.database, caller, present, [former])
  if (!row) return undefined
  const renamed = new URLSearchParams(parameters)
  renamed.set(by, `eq.${row.key}`)
  return renamed
}
