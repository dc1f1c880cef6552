import { createElement } from 'react'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import { TryAgainPage } from '#public-pages/mailed-link-page.tsx'
import { toHttpError } from './errors.ts'
import { pageResponse, pageTitle, publicPage } from './public-page.ts'
import type { HttpCall } from './router.ts'

/** A refusal, with its text as a sentence. */
interface Refusal {
  status: number
  message: string
  retryAfter: number | string | undefined
}

/** Refusals that pass: a crowd, a limit, a lost database. */
const passing = new Set([409, 429, 503])

/** A page for the person who followed a link at a bad moment; undefined for programs and for other refusals. */
export function tryAgainPage(
  { request, url }: Pick<HttpCall, 'request' | 'url'>,
  { status, message, retryAfter }: Refusal,
  publicUrl: string,
): Response | undefined {
  const isPage = /\btext\/html\b/.test(request.headers.get('accept') ?? '')
  if (!isPage || !passing.has(status)) return undefined
  // A form is sent once more with the button of the page before.
  const again = request.method === 'GET' ? url.pathname + url.search : undefined
  const content = createElement(TryAgainPage, { why: message.replace(/\.$/, ''), again })
  const title = visitorTexts(defaultLanguage).tryAgain.heading()
  const about = { title: pageTitle(title), description: title, publicUrl }
  return pageResponse(publicPage(content, about, {}), status, {
    // The address may contain a secret.
    'Referrer-Policy': 'same-origin',
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  })
}

/** For areas of pages, as `toKnown` of their `createErrorRouter`. */
export function toTryAgainPage({ config }: { config: { publicUrl: string } }) {
  return (error: unknown, call: HttpCall): Response | undefined => {
    const known = toHttpError(error)
    if (!known) return undefined
    const { status, message, headers } = known
    const refusal = { status, message, retryAfter: headers['Retry-After'] }
    return tryAgainPage(call, refusal, config.publicUrl)
  }
}
