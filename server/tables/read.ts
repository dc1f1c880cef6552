import { compileRead } from './compile.ts'
import { intersect, parseRange } from './parse-headers.ts'
import { parseQuery } from './parse-query.ts'
import { presentPage } from './present.ts'
import { planRead, withLookup } from './read-plan.ts'
import type { Scope } from './scope.ts'
import { runOne, type TableRequest } from './table-request.ts'

/** GET and HEAD on a relation. */
export async function read(asked: TableRequest, scope: Scope): Promise<Response> {
  const { request, limits } = asked
  const parsed = parseQuery(asked.parameters)
  const range = request.method === 'GET' ? parseRange(request.headers) : undefined
  const query = range ? { ...parsed, ...intersect(parsed, range) } : parsed
  const plan = withLookup(planRead(asked.served, scope, query))
  const { lookup } = plan.scope
  const guessing = lookup !== undefined && scope.rules.lookup?.guessable === true
  if (guessing) limits.checkGuesses()
  const statement = compileRead(plan, asked)
  const result = await runOne(asked, { readOnly: true, lookup }, statement)
  if (guessing && result.rows === 0) limits.missedGuess()
  return presentPage(asked, query.offset, result)
}
