import { compressBody } from '../http/compression.ts'
import type { StatementResult } from './compile.ts'
import { problems } from './errors.ts'
import type { Shape } from './parse/parse-headers.ts'
import type { TableRequest } from './table-request.ts'

interface Presented {
  status: number
  /** JSON text, as PostgreSQL made it; null for none. */
  body: string | null
  /** For example `0-24/3573`. */
  contentRange: string
  location?: string | undefined
}

/** The answer to a request that went well. HEAD gets the headers of GET. */
export async function present(
  { request, shape, prefer, idempotency }: TableRequest,
  { status, body, contentRange, location }: Presented,
): Promise<Response> {
  const headers: Record<string, string> = {
    'Cache-Control': 'no-store',
    'Content-Range': contentRange,
    ...(body !== null && { 'Content-Type': contentTypeOf(shape) }),
    ...(location && { Location: location }),
    ...(idempotency?.isReplayed && { 'Idempotency-Replayed': 'true' }),
    ...(prefer.applied.length > 0 && { 'Preference-Applied': prefer.applied.join(', ') }),
  }
  if (body === null || request.method === 'HEAD') return new Response(null, { status, headers })
  const sent = await compressBody(body, request.headers.get('accept-encoding'))
  return new Response(sent.body, { status, headers: { ...headers, ...sent.headers } })
}

function contentTypeOf({ single, csv, nullsStripped }: Shape): string {
  if (csv) return 'text/csv; charset=utf-8'
  const list = nullsStripped ? 'application/vnd.pgrst.array+json' : 'application/json'
  const type = single ? 'application/vnd.pgrst.object+json' : list
  return `${type}${nullsStripped ? ';nulls=stripped' : ''}; charset=utf-8`
}

/**
 * A page of rows: 206 when the total is known and larger than the page, else 200.
 *
 * @throws {ProtocolError} 406 when one row was asked for and this is not one; 416 when the page starts beyond the total
 *   (at the total it is an empty page)
 */
export function presentPage(
  asked: TableRequest,
  offset: number,
  { body, rows, total: counted }: StatementResult,
): Promise<Response> {
  checkSingle(asked, rows)
  const total = counted ? Number(counted) : undefined
  if (total !== undefined && offset > total && rows === 0) {
    throw problems.beyond(offset, total)
  }
  return present(asked, {
    status: total !== undefined && rows < total ? 206 : 200,
    body: body ?? (asked.shape.csv ? '' : '[]'),
    contentRange: rangeOf(asked, rows, total, offset),
  })
}

/** The listed rows and the total; `*` for no rows, and for a total that was not asked for. */
export function rangeOf(asked: TableRequest, listed: number, total?: number, offset = 0): string {
  const range = listed === 0 ? '*' : `${offset}-${offset + listed - 1}`
  return `${range}/${asked.prefer.count && total !== undefined ? total : '*'}`
}

/** @throws {ProtocolError} 406 when one row was asked for and there is not exactly one */
export function checkSingle({ shape }: Pick<TableRequest, 'shape'>, rows: number): void {
  if (shape.single && rows !== 1) throw problems.notSingle(rows)
}
