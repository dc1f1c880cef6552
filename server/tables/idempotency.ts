import pg from 'pg'
import type { Context } from '../context.ts'
import { type Answer, compileRead } from './compile.ts'
import { problems } from './errors.ts'
import type { Preferences, Shape } from './parse-headers.ts'
import type { Query } from './parse-query.ts'
import { answer, runAs } from './run.ts'
import type { Scope } from './scope.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/**
 * The `Idempotency-Key` of an insert of a link: one key makes one link, however often its request comes. Other
 * relations ignore the header.
 *
 * @throws {ProtocolError} 400 when it is no UUID, or when the request holds more or less than one row
 */
export function readIdempotencyKey(
  headers: Headers,
  relation: string,
  rows: number,
): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null || relation !== 'shortened_urls') return undefined
  if (!uuid.test(key)) throw problems.body('An Idempotency-Key is a UUID')
  if (rows !== 1) throw problems.body('An Idempotency-Key is for one row')
  return key
}

/**
 * Answers a repeated insert with the link that the first request made.
 *
 * @throws the error itself, when it says anything else
 */
export async function replay(
  context: Context,
  error: unknown,
  {
    scope,
    query,
    prefer,
    shape,
  }: { scope: Scope; query: Query; prefer: Preferences; shape: Shape },
): Promise<Answer> {
  if (!(error instanceof pg.DatabaseError) || error.hint !== 'idempotency_key_repeated') throw error
  const id = error.detail ?? ''
  if (prefer.return !== 'representation')
    return { body: null, rows: 1, total: null, key: id, inserted: null }
  const first = {
    select: query.select,
    filters: [
      { kind: 'comparison', column: 'id', operator: 'eq', negated: false, value: id },
    ] satisfies Query['filters'],
    order: [],
    offset: 0,
  }
  const statement = compileRead(scope, first, shape, undefined)
  return runAs(context, { identity: scope.identity, readOnly: true }, (db) => answer(db, statement))
}
