import type { Context } from '../context.ts'
import type { RequestInfo } from '../http/router.ts'
import type { Caller } from '../postgres/begin.ts'
import type { Transaction } from '../postgres/database.ts'
import { replaceErrorWhen } from '../primitives/caught-error.ts'
import { errorCode, isRetryableConflict } from '../primitives/error-code.ts'
import { recordPerson } from '../tokens/person.ts'
import type { Identity } from '../tokens/tokens.ts'
import type { Statement, StatementResult } from './compile.ts'
import { problems } from './errors.ts'
import { type Idempotency, once } from './idempotency.ts'
import { keepExpectations } from './checks/keep-expectations.ts'
import type { Limits } from './limits.ts'
import type { Answer } from './parse/parse-headers.ts'
import type { SchemaRules } from './rule-types.ts'
import type { ServedSchema } from './scope.ts'

/** Deps of the table door, and the schema that it serves. */
export interface TablesDeps extends Pick<
  Context,
  | 'config'
  | 'database'
  | 'expectations'
  | 'installation'
  | 'listener'
  | 'quotaRefusals'
  | 'rateLimits'
  | 'tokens'
  | 'visitorPasswords'
> {
  schema: string
  rules: SchemaRules
  procedures?: Procedures
  secretBox: Pick<Context['secretBox'], 'digest'>
}

/**
 * Functions of the schema that the server answers, by name: the one in the database checks the rights of its caller, and
 * returns the question. So grants, arguments, scopes and descriptions are those of any other function.
 */
export type Procedures = Readonly<
  Record<string, (question: unknown, options: ProcedureOptions) => Promise<unknown>>
>

export interface ProcedureOptions {
  timeoutMs: number
  /** In which the client wants times. */
  timeZone?: string | undefined
}

/** One request, with the door's findings, for a handler. */
export interface TableRequest extends Answer {
  deps: Pick<
    TablesDeps,
    'config' | 'database' | 'expectations' | 'procedures' | 'tokens' | 'visitorPasswords'
  >
  request: Request
  parameters: URLSearchParams
  identity: Identity
  limits: Limits
  /** Its id goes into the audit log beside an admin's change. */
  info: RequestInfo
  served: ServedSchema
  idempotency: Idempotency | undefined
}

/** Requests without a sign-in get the least. */
export const statementTimeoutsMs = { anon: 1_000, authenticated: 4_000, service_role: 15_000 }
const maxAttempts = 3
const setTimeZone = `select set_config('timezone', $1, true)`

interface RunOptions extends Pick<Caller, 'readOnly' | 'lookup'> {
  /** It may change links, so their expectations are checked before it commits. */
  changesLinks?: boolean | undefined
  /** Default: the limit of the caller's role. */
  timeLimitMs?: number | undefined
}

/** Runs a transaction as the identity's role, in the time zone that the client prefers; retries it when it lost a deadlock or a serialization race. */
export function runAs<T>(
  asked: TableRequest,
  options: RunOptions,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  if (!options.changesLinks) return runOnce(asked, options, work)
  return keepExpectations(asked, (check) =>
    runOnce(asked, options, async (db) => {
      const result = await work(db)
      await check(db, result)
      return result
    }),
  )
}

function runOnce<T>(
  asked: TableRequest,
  options: RunOptions,
  work: (db: Transaction) => Promise<T>,
): Promise<T> {
  const { deps, prefer, idempotency } = asked
  return attempt(asked, options, (caller) =>
    deps.database.transactionAs(caller, async (db) => {
      if (prefer.timezone) await db.query(setTimeZone, [prefer.timezone])
      return idempotency && !options.readOnly ? once(db, idempotency, () => work(db)) : work(db)
    }),
  )
}

/** The same with one statement, in one round trip where nothing else has to be asked. */
export function runOne(
  asked: TableRequest,
  options: RunOptions,
  statement: Statement,
): Promise<StatementResult> {
  const { deps, prefer, idempotency } = asked
  if (prefer.timezone || options.changesLinks || (idempotency && !options.readOnly))
    return runAs(asked, options, (db) => runStatement(db, statement))
  return attempt(asked, options, (caller) =>
    deps.database.transactionAs({ ...caller, isOneQuery: true }, (db) =>
      runStatement(db, statement),
    ),
  )
}

async function attempt<T>(
  { identity, info }: TableRequest,
  options: RunOptions,
  run: (caller: Caller) => Promise<T>,
): Promise<T> {
  const statementTimeout = options.timeLimitMs ?? statementTimeoutsMs[identity.role]
  const caller = { ...identity, statementTimeout, ...options, requestId: info.requestId }
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await run(caller)
      recordPerson(info, identity.claims)
      return result
    } catch (error) {
      if (attempts === maxAttempts || !isRetryableConflict(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, 10 + Math.random() * 40 * attempts))
    }
  }
}

const divisionByZero = '22012'

/** Runs a compiled statement, which has one row. @throws {ProtocolError} 400 when lists are too long; errors of the database */
export async function runStatement(
  db: Transaction,
  { text, values, embedsLists }: Statement,
): Promise<StatementResult> {
  const { rows } = await db
    .query<StatementResult & Record<string, unknown>>(text, values)
    .catch(replaceErrorWhen(isTooLong, problems.tooManyEmbedded))
  return rows[0] ?? { body: null, rows: 0 }

  function isTooLong(error: unknown): boolean {
    return embedsLists === true && errorCode(error) === divisionByZero
  }
}

export type Row = Record<string, unknown>

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
