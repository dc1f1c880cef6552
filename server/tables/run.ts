import type { Context } from '../context.ts'
import type { Transaction } from '../postgres/database.ts'
import type { Identity } from '../tokens/tokens.ts'
import type { Answer, Statement } from './compile.ts'
import { isRetryable } from './errors.ts'

/** In milliseconds. What nobody has to sign in for gets the least. */
const statementTimeouts = { anon: 1_000, authenticated: 4_000, service_role: 15_000 }
const attempts = 3

interface Run {
  identity: Identity
  readOnly: boolean
  lookup?: string
  idempotencyKey?: string
  /** Goes into the audit log beside what an admin changes. */
  requestId?: string
}

/** Runs a transaction as the caller, again when it lost a deadlock or a serialization race. */
export async function runAs<T>(
  context: Pick<Context, 'database'>,
  { identity, readOnly, lookup, idempotencyKey, requestId }: Run,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  const caller = {
    role: identity.role,
    claims: identity.claims,
    readOnly,
    statementTimeout: statementTimeouts[identity.role],
    ...(lookup !== undefined && { lookup }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(requestId !== undefined && { requestId }),
  }
  for (let attempt = 1; ; attempt++) {
    try {
      return await context.database.transactionAs(caller, work)
    } catch (error) {
      if (attempt === attempts || !isRetryable(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * attempt))
    }
  }
}

/** Runs a compiled statement, which has one row. */
export async function answer(db: Transaction, statement: Statement): Promise<Answer> {
  const { rows } = await db.query<Answer & Record<string, unknown>>(
    statement.text,
    statement.values,
  )
  return rows[0] ?? { body: null, rows: 0, total: null, key: null, inserted: null }
}
