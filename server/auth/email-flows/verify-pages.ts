import { createElement, type ReactElement } from 'react'
import { DeadLinkPage, MailedLinkPage, mailedLinkTitles } from '#public-pages/mailed-link-page.tsx'
import { publicPage } from '../../http/public-page.ts'
import type { AuthCall } from '../call.ts'
import type { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { failureOf } from '../providers/provider-answers.ts'
import { redirectWith } from '../redirects.ts'

interface EmailedLink {
  secret: string
  type: string
  redirectTo: string
}

/** The page with the one button that consumes an emailed link. */
export function confirmPage(call: AuthCall, { secret, type, redirectTo }: EmailedLink): Response {
  const content = createElement(MailedLinkPage, { secret, type, redirectTo })
  return page(call, content, mailedLinkTitles(type).title, redirectTo)
}

/** The page for a link that is used, expired or wrong; its button leads on with the protocol's error. */
export function deadLinkPage(
  call: AuthCall,
  redirectTo: string,
  error: AuthError = authErrors.otpExpired(),
): Response {
  const facts = failureOf(error)
  const on = redirectWith(redirectTo, { query: facts, fragment: facts }).headers.get('Location')
  const why = error.code === 'otp_expired' ? undefined : error.message
  const content = createElement(DeadLinkPage, { goOn: on ?? redirectTo, why })
  return page(call, content, 'This link is no longer good', redirectTo, error.status)
}

function page(
  { deps }: AuthCall,
  content: ReactElement,
  title: string,
  redirectTo: string,
  status = 200,
): Response {
  const { publicUrl } = deps.config
  const about = { title: `${title} · Hoplet`, description: title, publicUrl }
  // Browsers apply form-action to the redirect of the response as well.
  const formsTo = `'self' ${new URL(redirectTo).origin}`
  const { html, policy } = publicPage(content, about, {}, { formsTo })
  return new Response(html, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'X-Robots-Tag': 'noindex',
      // The address of this page contains a secret.
      'Referrer-Policy': 'same-origin',
    },
  })
}
