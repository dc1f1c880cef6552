import { createElement } from 'react'
import { TryAgainPage, tryAgainTitle } from '#public-pages/mailed-link-page.tsx'
import type { HttpCall } from '../http/router.ts'
import { pageResponse, publicPage } from '../http/public-page.ts'
import type { AuthError } from './errors.ts'

/** Paths that a browser opens. */
const pagePaths = new Set(
  ['/verify', '/authorize', '/callback', '/oauth/authorize'].map((path) => `/auth/v1${path}`),
)
/** Refusals that pass: a crowd, a limit, a lost database. */
const passing = new Set([409, 429, 503])

/** A page for the person who followed a link at a bad moment; undefined for programs and for other errors. */
export function tryAgainPage(
  { request, url }: HttpCall,
  { status, message, more }: AuthError,
  publicUrl: string,
): Response | undefined {
  const isPage = pagePaths.has(url.pathname) && passing.has(status)
  if (!isPage || !/\btext\/html\b/.test(request.headers.get('accept') ?? '')) return undefined
  // A form is sent once more with the button of the page before.
  const again = request.method === 'GET' ? url.pathname + url.search : undefined
  const content = createElement(TryAgainPage, { why: message, again })
  const about = { title: `${tryAgainTitle} · Hoplet`, description: tryAgainTitle, publicUrl }
  return pageResponse(publicPage(content, about, {}), status, {
    // The address may contain a secret.
    'Referrer-Policy': 'same-origin',
    ...(more.retryAfter !== undefined && { 'Retry-After': String(more.retryAfter) }),
  })
}
