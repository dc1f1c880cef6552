import { ServerResponse } from 'node:http'

/** A finished response. Headers are a flat list of names and values, the form that `writeHead` sends fastest. */
export interface VisitResponse {
  status: number
  headers: string[]
  body: string | Buffer
}

/** Where a response goes: node:http, or a connection in the fast lane. */
export type ResponseSink = ServerResponse | { send(response: VisitResponse): void }

/** Sends a finished response. */
export function send(sink: ResponseSink, response: VisitResponse): void {
  if (sink instanceof ServerResponse) {
    sink.writeHead(response.status, response.headers)
    sink.end(response.body)
  } else sink.send(response)
}

/**
 * 302 to the stored URL. Not cached, because a browser that remembered it would miss edits, takedowns and clicks; not
 * indexed under our host.
 */
export function redirectTo(destination: string, publicUrl: string): VisitResponse {
  return withHeaders(302, publicUrl, '', {
    Location: destination,
    'Cache-Control': 'private, no-store',
    'X-Robots-Tag': 'noindex',
    'Content-Security-Policy': dataPolicy,
  })
}

/** 503: the code is not in memory and the database does not respond. Not 404, because the link may exist. */
export function unavailable(publicUrl: string): VisitResponse {
  const body = 'This link cannot be looked up right now. Please try again in a moment.\n'
  return text(503, publicUrl, body, { 'Retry-After': '2' })
}

/** 429: this address asked for too many codes that do not exist. */
export function tooManyMisses(publicUrl: string, seconds: number): VisitResponse {
  const body = 'Too many unknown links. Please try again in a moment.\n'
  return text(429, publicUrl, body, { 'Retry-After': String(seconds) })
}

/** 405: a short link can only be opened. The request body is not read, so the connection closes. */
export function wrongMethod(publicUrl: string): VisitResponse {
  const headers = { Allow: 'GET, HEAD', Connection: 'close' }
  return text(405, publicUrl, 'A short link can only be opened.\n', headers)
}

/** 500 for an unexpected error; the log has the reason. */
export function unexpected(publicUrl: string): VisitResponse {
  return text(500, publicUrl, 'Something went wrong.\n', {})
}

const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

function text(
  status: number,
  publicUrl: string,
  body: string,
  headers: Record<string, string>,
): VisitResponse {
  return withHeaders(status, publicUrl, body, {
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': dataPolicy,
  })
}

/** A response with these headers and those that every one has. */
export function withHeaders(
  status: number,
  publicUrl: string,
  body: string | Buffer,
  own: Readonly<Record<string, string>>,
): VisitResponse {
  const headers = {
    ...own,
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(Buffer.byteLength(body)),
    ...(publicUrl.startsWith('https:') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
  return { status, headers: Object.entries(headers).flat(), body }
}
