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
}

/** The answer to a request that went well. */
export function present({
  status,
  body,
  shape,
  prefer,
  contentRange,
  location,
}: Presented): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  if (body !== null) {
    const type = shape.single ? 'application/vnd.pgrst.object+json' : 'application/json'
    headers.set('Content-Type', `${type}; charset=utf-8`)
  }
  if (contentRange) headers.set('Content-Range', contentRange)
  if (location) headers.set('Location', location)
  if (prefer.applied.length > 0) headers.set('Preference-Applied', prefer.applied.join(', '))
  return new Response(body, { status, headers })
}

/**
 * The range of a list in its whole, and the status that says whether there is more: 200, or 206 when the total is
 * known and larger. @throws {ProtocolError} 416 when the list starts beyond its total
 */
export function rangeOf(
  offset: number,
  rows: number,
  total: number | undefined,
): { status: number; contentRange: string } {
  if (total !== undefined && offset > 0 && offset >= total && rows === 0) {
    throw problems.range(`An offset of ${offset} was requested, but there are only ${total} rows.`)
  }
  const range = rows === 0 ? '*' : `${offset}-${offset + rows - 1}`
  const partial = total !== undefined && rows > 0 && (offset > 0 || rows < total)
  return { status: partial ? 206 : 200, contentRange: `${range}/${total ?? '*'}` }
}
