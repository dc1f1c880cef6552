import pg from 'pg'
import { isUuid } from '../primitives/uuid.ts'
import { compileRead, type StatementResult } from './compile.ts'
import { problems } from './errors.ts'
import type { Query } from './query.ts'
import type { ReadPlan } from './read-plan.ts'
import type { Scope } from './scope.ts'
import { runAs, runStatement, type TableRequest } from './table-request.ts'

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
  if (!isUuid(key)) throw problems.body('An Idempotency-Key is a UUID')
  if (rows !== 1) throw problems.body('An Idempotency-Key is for one row')
  return key
}

/**
 * Answers a repeated insert with the row that the first request made.
 *
 * @throws the error itself, unless it says that the key was used before
 */
export async function replayInsert(
  error: unknown,
  asked: TableRequest,
  plan: ReadPlan,
): Promise<StatementResult> {
  if (!(error instanceof pg.DatabaseError) || error.hint !== 'idempotency_key_repeated') throw error
  const value = error.detail ?? ''
  if (asked.prefer.return !== 'representation') return { body: null, rows: 1, key: [value] }
  const [column = 'id'] = plan.scope.relation.key
  const field = { column, path: [] }
  const query: Query = {
    select: plan.query.select,
    filters: [{ kind: 'comparison', field, operator: 'eq', negated: false, value }],
    order: [],
    offset: 0,
  }
  return runAs(asked, { readOnly: true }, (db) =>
    runStatement(db, compileRead({ ...plan, query }, asked)),
  )
}
