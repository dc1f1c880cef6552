import { createElement } from 'react'
import { AppRefusedPage, appRefusedTitle } from '#public-pages/app-refused-page.tsx'
import { publicPage } from '../../http/public-page.ts'
import type { AuthCall } from '../call.ts'
import type { AuthError } from '../auth-error.ts'

/**
 * The answer to a request of an app that can go neither forward nor back: a page for a person, and the error for a
 * program.
 *
 * @throws {AuthError} `error`, for a program
 */
export function refuseApp({ request, deps }: AuthCall, error: AuthError): Response {
  if (!/\btext\/html\b/.test(request.headers.get('accept') ?? '')) throw error
  const why =
    error.code === 'oauth_client_not_found'
      ? 'Hoplet does not know the app that sent you here.'
      : 'The app that sent you here wants its answer at an address that is not known to be its own.'
  const { html, policy } = publicPage(
    createElement(AppRefusedPage, { why }),
    {
      title: `${appRefusedTitle} · Hoplet`,
      description: appRefusedTitle,
      publicUrl: deps.config.publicUrl,
    },
    {},
  )
  return new Response(html, {
    status: error.status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
    },
  })
}
