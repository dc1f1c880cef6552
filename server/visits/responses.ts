import { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { notFoundPage } from '../http/not-found-page.ts'
import { demoPage, gonePage } from './notice-pages.ts'
import type { PublicPage } from '../http/public-page.ts'

/** A finished response. Headers are a flat list of names and values, the form that `writeHead` sends fastest. */
export interface VisitResponse {
  status: number
  headers: string[]
  body: string | Buffer
}

/** A page in both encodings, so that no visitor waits for the compression. */
export interface PageResponse {
  plain: VisitResponse
  gzip: VisitResponse
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
  return withHeaders(302, publicUrl, '', [
    'Location',
    destination,
    'Cache-Control',
    'private, no-store',
    'X-Robots-Tag',
    'noindex',
    'Content-Security-Policy',
    dataPolicy,
  ])
}

/** 302 to `/404`: no such code. */
export function missingCode(publicUrl: string): VisitResponse {
  return redirectTo('/404', publicUrl)
}

/** 404 with the page that `/404` shows. */
export function notFound(publicUrl: string): VisitResponse {
  return html(404, publicUrl, notFoundPage(publicUrl))
}

/** 200 with the sample profile. */
export function demo(publicUrl: string): PageResponse {
  const page = demoPage(publicUrl)
  let response = demos.get(page)
  if (!response) demos.set(page, (response = ownersPage(publicUrl, page)))
  return response
}

const demos = new WeakMap<PublicPage, PageResponse>()

/** 410: the destination may not be followed. */
export function withdrawn(publicUrl: string, name: string): VisitResponse {
  return html(410, publicUrl, gonePage(publicUrl, name))
}

/** 200 with an owner's page. Not cached, so that each visit counts and gets the newest version. */
export function ownersPage(publicUrl: string, page: PublicPage): PageResponse {
  const headers = [
    ...pageHeaders(page),
    'Cache-Control',
    'private, no-cache',
    'Vary',
    'Accept-Encoding',
  ]
  const plain = Buffer.from(page.html)
  return {
    plain: withHeaders(200, publicUrl, plain, headers),
    gzip: withHeaders(200, publicUrl, gzipSync(plain, { level: 9 }), [
      ...headers,
      'Content-Encoding',
      'gzip',
    ]),
  }
}

/** 503: the code is not in memory and the database does not respond. Not 404, because the link may exist. */
export function unavailable(publicUrl: string): VisitResponse {
  return text(
    503,
    publicUrl,
    'This link cannot be looked up right now. Please try again in a moment.\n',
    ['Retry-After', '2'],
  )
}

/** 429: this address asked for too many codes that do not exist. */
export function tooManyMisses(publicUrl: string, seconds: number): VisitResponse {
  return text(429, publicUrl, 'Too many unknown links. Please try again in a moment.\n', [
    'Retry-After',
    String(seconds),
  ])
}

/** 405: a short link can only be opened. The request body is not read, so the connection closes. */
export function wrongMethod(publicUrl: string): VisitResponse {
  return text(405, publicUrl, 'A short link can only be opened.\n', [
    'Allow',
    'GET, HEAD',
    'Connection',
    'close',
  ])
}

/** 500 for an unexpected error; the log has the reason. */
export function unexpected(publicUrl: string): VisitResponse {
  return text(500, publicUrl, 'Something went wrong.\n', [])
}

const dataPolicy = "default-src 'none'; frame-ancestors 'none'"

function text(status: number, publicUrl: string, body: string, headers: string[]): VisitResponse {
  return withHeaders(status, publicUrl, body, [
    ...headers,
    'Content-Type',
    'text/plain; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Content-Security-Policy',
    dataPolicy,
  ])
}

function html(status: number, publicUrl: string, page: PublicPage): VisitResponse {
  return withHeaders(status, publicUrl, page.html, [
    ...pageHeaders(page),
    'Cache-Control',
    'no-store',
    'X-Robots-Tag',
    'noindex',
  ])
}

function pageHeaders(page: PublicPage): string[] {
  return [
    'Content-Type',
    'text/html; charset=utf-8',
    'Content-Security-Policy',
    page.policy,
    'X-Frame-Options',
    'DENY',
    'Cross-Origin-Opener-Policy',
    'same-origin',
  ]
}

function withHeaders(
  status: number,
  publicUrl: string,
  body: string | Buffer,
  headers: string[],
): VisitResponse {
  const common = [
    'Referrer-Policy',
    'strict-origin-when-cross-origin',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Length',
    String(Buffer.byteLength(body)),
  ]
  if (publicUrl.startsWith('https:')) {
    common.push('Strict-Transport-Security', 'max-age=31536000')
  }
  return { status, headers: [...headers, ...common], body }
}
