import { dataPolicy, type PublicSite, strictTransport } from '../http/security-headers.ts'

/** A finished response. Headers are a flat list of names and values, the form that `writeHead` sends fastest. */
export interface VisitResponse {
  status: number
  headers: string[]
  body: string | Buffer
}

/** Where a response goes: node:http, or a connection in the fast lane. */
export interface ResponseSink {
  send(response: VisitResponse): void
}

/**
 * 302 to the stored URL. Not cached, because a browser that remembered it would miss edits, takedowns and clicks; not
 * indexed under our host.
 */
export function redirectTo(destination: string, site: PublicSite): VisitResponse {
  let rest = otherHeaders.get(site)
  if (!rest) {
    const own = {
      'Cache-Control': 'private, no-store',
      'X-Robots-Tag': 'noindex',
      'Content-Security-Policy': dataPolicy,
    }
    rest = withHeaders(302, site, '', own).headers
    otherHeaders.set(site, rest)
  }
  return { status: 302, headers: ['Location', destination, ...rest], body: '' }
}

/** Of redirects: the same for all, and names that are not in memory need one each. */
const otherHeaders = new WeakMap<PublicSite, string[]>()

/** Text for a visitor without a redirect or a page. */
const texts = {
  /** A short link can only be opened. The request body is not read, so the connection closes. */
  405: 'A short link can only be opened.\n',
  /** This address asked for too many codes that do not exist. */
  429: 'Too many unknown links. Please try again in a moment.\n',
  500: 'Something went wrong.\n',
  /** The code is not in memory and the database does not respond. Not 404, because the link may exist. */
  503: 'This link cannot be looked up right now. Please try again in a moment.\n',
}

/** A refusal in plain text. */
export function textResponse(
  status: keyof typeof texts,
  site: PublicSite,
  headers: Record<string, string> = {},
): VisitResponse {
  return withHeaders(status, site, texts[status], {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': dataPolicy,
  })
}

/** A response with these headers and those that every one has. */
export function withHeaders(
  status: number,
  site: PublicSite,
  body: string | Buffer,
  own: Readonly<Record<string, string>>,
): VisitResponse {
  const transport = strictTransport(site)
  const headers = {
    ...own,
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
    // RFC 9110 allows none with 204.
    ...(status !== 204 && { 'Content-Length': String(Buffer.byteLength(body)) }),
    ...(transport !== undefined && { 'Strict-Transport-Security': transport }),
  }
  return { status, headers: Object.entries(headers).flat(), body }
}
