import { compressBody } from '../http/compression.ts'
import { problems } from './errors.ts'
import type { Preferences, Shape } from './parse-headers.ts'

interface Presented {
  status: number
  /** JSON text, as PostgreSQL made it; null for none. */
  body: string | null
  shape: Shape
  prefer: Preferences
  /** For example `0-24/3573`. */
  contentRange?: string
  location?: string
  /** The request came before, with the same Idempotency-Key: this is what it made then. */
  replayed?: boolean
}

/** The answer to a request that went well. HEAD gets the headers of GET. */
export async function present(
  request: Request,
  { status, body, shape, prefer, contentRange, location, replayed = false }: Presented,
): Promise<Response> {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  if (body !== null) headers.set('Content-Type', contentTypeOf(shape))
  if (contentRange) headers.set('Content-Range', contentRange)
  if (location) headers.set('Location', location)
  if (replayed) headers.set('Idempotency-Replayed', 'true')
  if (prefer.applied.length > 0) headers.set('Preference-Applied', prefer.applied.join(', '))
  if (body === null || request.method === 'HEAD') return new Response(null, { status, headers })
  const accepted = request.headers.get('accept-encoding')
  return new Response(await compressBody(body, accepted, headers), { status, headers })
}

function contentTypeOf({ single, nullsStripped }: Shape): string {
  const list = nullsStripped ? 'application/vnd.pgrst.array+json' : 'application/json'
  const type = single ? 'application/vnd.pgrst.object+json' : list
  return `${type}${nullsStripped ? ';nulls=stripped' : ''}; charset=utf-8`
}

/**
 * The Content-Range of a page, and its status: 206 when the total is known and larger than the page, else 200.
 *
 * @throws {ProtocolError} 416 when the page starts beyond the total; at the total it is an empty page
 */
export function rangeOf(
  offset: number,
  rows: number,
  total: number | undefined,
): { status: number; contentRange: string } {
  if (total !== undefined && offset > total && rows === 0) {
    throw problems.range(`An offset of ${offset} was requested, but there are only ${total} rows.`)
  }
  const range = rows === 0 ? '*' : `${offset}-${offset + rows - 1}`
  return {
    status: total !== undefined && rows < total ? 206 : 200,
    contentRange: `${range}/${total ?? '*'}`,
  }
}
