import pg from 'pg'
import { compileRead, type StatementResult } from './compile.ts'
import { problems } from './errors.ts'
import type { Preferences, Shape } from './parse-headers.ts'
import type { Query } from './parse-query.ts'
import { runAs, runStatement } from './run.ts'
import type { Scope } from './scope.ts'
import type { TablesDeps } from './table-request.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The `Idempotency-Key` of an insert: one key makes one row, however often its request comes. Relations without the rule
 * ignore the header.
 *
 * @throws {ProtocolError} 400 when it is not a UUID, or when the request does not hold exactly one row
 */
export function readIdempotencyKey(
  headers: Headers,
  { rules }: Scope,
  rows: number,
): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null || !rules.idempotentInserts) return undefined
  if (!uuid.test(key)) throw problems.body('An Idempotency-Key is a UUID')
  if (rows !== 1) throw problems.body('An Idempotency-Key is for one row')
  return key
}

/**
 * Answers a repeated insert with the row that the first request made.
 *
 * @throws the error itself, unless it says that the key was used before
 */
export async function replayInsert(
  deps: Pick<TablesDeps, 'database'>,
  error: unknown,
  {
    scope,
    query,
    prefer,
    shape,
  }: { scope: Scope; query: Query; prefer: Preferences; shape: Shape },
): Promise<StatementResult> {
  if (!(error instanceof pg.DatabaseError) || error.hint !== 'idempotency_key_repeated') throw error
  const id = error.detail ?? ''
  if (prefer.return !== 'representation')
    return { body: null, rows: 1, total: null, key: [id], inserted: null }
  const [column = 'id'] = scope.relation.key
  const first = {
    select: query.select,
    filters: [
      { kind: 'comparison', column, operator: 'eq', negated: false, value: id },
    ] satisfies Query['filters'],
    order: [],
    offset: 0,
  }
  const statement = compileRead(scope, first, shape, undefined)
  const run = { identity: scope.identity, readOnly: true }
  return runAs(deps, run, (db) => runStatement(db, statement))
}
