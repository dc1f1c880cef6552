import { randomUUID } from 'node:crypto'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import type { RedirectStatus } from '#domain/visits/decide-link.ts'
import type { PublicSite } from '../http/public-site.ts'
import { dataPolicy, strictTransport } from '../http/security-headers.ts'

/** A finished response. Headers are a flat list of names and values, the form that `writeHead` sends fastest. */
export interface VisitResponse {
  status: number
  /** Value of the header Location, which comes first. */
  location?: string
  headers: string[]
  body: string | Buffer
}

/** For the app. */
export function asResponse({ status, location, headers, body }: VisitResponse): Response {
  const pairs = new Headers(location === undefined ? {} : { Location: location })
  for (let i = 0; i < headers.length; i += 2) pairs.append(headers[i] ?? '', headers[i + 1] ?? '')
  return new Response(typeof body === 'string' ? body : new Uint8Array(body), {
    status,
    headers: pairs,
  })
}

/** Where a response goes: node:http, or a connection in the fast lane. */
export interface ResponseSink {
  send(response: VisitResponse): void
}

/**
 * Redirect to an address. Not cached, because a browser that remembered it would miss edits, takedowns and clicks; a
 * permanent one is, for 90 s. Not indexed under our host.
 */
export function redirectTo(
  destination: string,
  site: PublicSite,
  status: RedirectStatus = 302,
): VisitResponse {
  const known = otherHeaders.get(site) ?? new Map<RedirectStatus, string[]>()
  otherHeaders.set(site, known)
  let rest = known.get(status)
  if (!rest) {
    const isPermanent = status === 301 || status === 308
    const own = {
      'Cache-Control': isPermanent ? 'private, max-age=90' : 'private, no-store',
      'X-Robots-Tag': 'noindex',
      'Content-Security-Policy': dataPolicy,
    }
    rest = withHeaders(status, site, '', own).headers
    known.set(status, rest)
  }
  return { status, location: destination, headers: rest, body: '' }
}

/** The site for the headers of a redirect: that of the server, which has them prepared, if they are the same. */
export function redirectSite(domain: PublicSite | undefined, own: PublicSite): PublicSite {
  return domain && own.hstsSubdomains ? domain : own
}

/** Headers of redirects besides the address: one list for all of them. */
const otherHeaders = new WeakMap<PublicSite, Map<RedirectStatus, string[]>>()

/** Text for a visitor without a redirect or a page. */
const textNames = {
  /** A short link can only be opened. The request body is not read, so the connection closes. */
  405: 'onlyOpens',
  413: 'tooLarge',
  /** Nothing is said about the server: the name may be another person's. */
  421: 'unknownHost',
  /** This address asked for too many codes that do not exist. */
  429: 'tooManyMisses',
  500: 'failed',
  /** The code is not in memory and the database does not respond. Not 404, because the link may exist. */
  503: 'unavailable',
} as const satisfies Record<number, keyof VisitorTexts['visit']>

/** A refusal in plain text. */
export function textResponse(
  status: keyof typeof textNames,
  site: PublicSite,
  headers: Record<string, string> = {},
  name: keyof VisitorTexts['visit'] = textNames[status],
): VisitResponse {
  const text = visitorTexts(defaultLanguage).visit[name]()
  return withHeaders(status, site, `${text}\n`, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': dataPolicy,
  })
}

/** JSON for programs, which nobody keeps. */
export function jsonResponse(status: number, site: PublicSite, content: object): VisitResponse {
  return withHeaders(status, site, `${JSON.stringify(content)}\n`, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'Content-Security-Policy': dataPolicy,
  })
}

/** For a host that is not ours. Browsers are not told to use HTTPS: that is up to the owner of the name. */
export function unknownHostPage(): VisitResponse {
  return textResponse(421, { publicUrl: '', hstsSubdomains: false }, { Connection: 'close' })
}

/**
 * The response to a browser that asks before the press of a person. Browsers drop a failure and ask again at the
 * press, so that the press counts.
 */
export function responseToPrefetch(site: PublicSite): VisitResponse {
  return textResponse(503, site, {}, 'prefetch')
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

/** Adds the id that a visitor can quote. Plain redirects have none: they are prepared once and sent unchanged. */
export function withRequestId(
  response: VisitResponse,
  requestId: string = randomUUID(),
): VisitResponse {
  return { ...response, headers: [...response.headers, 'X-Request-Id', requestId] }
}
