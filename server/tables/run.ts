import type { Transaction } from '../postgres/database.ts'
import type { Identity } from '../tokens/tokens.ts'
import { isRetryableConflict } from '../primitives/error-code.ts'
import type { Statement, StatementResult } from './compile.ts'
import type { TablesDeps } from './table-request.ts'

/** What needs no sign-in gets the least. */
const statementTimeoutsMs = { anon: 1_000, authenticated: 4_000, service_role: 15_000 }
const maxAttempts = 3

interface Run {
  identity: Identity
  readOnly: boolean
  lookup?: string
  idempotencyKey?: string
  /** Goes into the audit log beside what an admin changes. */
  requestId?: string
}

/** Runs a transaction as the identity's role; retries it when it lost a deadlock or a serialization race. */
export async function runAs<T>(
  deps: Pick<TablesDeps, 'database'>,
  { identity, readOnly, lookup, idempotencyKey, requestId }: Run,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  const caller = {
    role: identity.role,
    claims: identity.claims,
    readOnly,
    statementTimeout: statementTimeoutsMs[identity.role],
    ...(lookup !== undefined && { lookup }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(requestId !== undefined && { requestId }),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.database.transactionAs(caller, work)
    } catch (error) {
      if (attempt === maxAttempts || !isRetryableConflict(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * attempt))
    }
  }
}

/** Runs a compiled statement, which has one row. */
export async function runStatement(
  db: Transaction,
  statement: Statement,
): Promise<StatementResult> {
  const { rows } = await db.query<StatementResult & Record<string, unknown>>(
    statement.text,
    statement.values,
  )
  return rows[0] ?? { body: null, rows: 0, total: null, key: null, inserted: null }
}
