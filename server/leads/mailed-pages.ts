import type { AudiencePageProps } from '#public-pages/audience-page.tsx'
import type { Context } from '../context.ts'
import { limitByAddress, ownForm } from '../http/guards.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import { valueAs } from '../postgres/rows.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { audiencePage } from './audience-page.ts'
import { confirmationHash } from './keep-lead.ts'

interface MailedCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'rateLimits'>
}

const perAddress: BucketPolicy = { name: 'lead-page', burst: 30, windowSeconds: 60 }
const maxBodyBytes = 1_024

const mailedRoute = routesWith<MailedCall>()
const limited = limitByAddress(perAddress)

/** A page with a button, and the function of the database that knows its token. */
interface MailedPage {
  ask: 'app.confirm_lead' | 'app.leave_audience'
  keyOf: (token: string) => Buffer | string
  question: Pick<AudiencePageProps, 'title' | 'text'>
  label: string
  done: AudiencePageProps
  unknown: AudiencePageProps
}

const confirmation: MailedPage = {
  ask: 'app.confirm_lead',
  keyOf: confirmationHash,
  question: { title: 'Confirm your email address', text: 'Press the button to receive emails.' },
  label: 'Confirm email address',
  done: { title: 'Thank you', text: 'Your address is confirmed.' },
  unknown: { title: 'This link has expired', text: 'Please enter your address again.' },
}

const leaving: MailedPage = {
  ask: 'app.leave_audience',
  // The database takes no text with other characters, such as NUL.
  keyOf: (token) => (/^[\w-]+$/.test(token) ? token : ''),
  question: { title: 'Unsubscribe?', text: 'Press the button to leave.' },
  label: 'Unsubscribe',
  done: { title: 'You have unsubscribed', text: 'The owner may no longer email you.' },
  unknown: { title: 'Unknown address', text: 'This address receives no emails here.' },
}

/** `/audience/confirm/{token}`: nothing happens until the button is pressed, so mail scanners confirm nothing. */
export const confirmRoutes = [
  mailedRoute('GET', '/:token', [limited], show(confirmation)),
  mailedRoute('POST', '/:token', [limited, ownForm(maxBodyBytes)], press(confirmation)),
]

/** `/audience/leave/{token}`: the POST also comes from mail programs, without a page of ours before it (RFC 8058). */
export const leaveRoutes = [
  mailedRoute('GET', '/:token', [limited], show(leaving)),
  mailedRoute('POST', '/:token', [limited], press(leaving)),
]

function show({ question, label, ...page }: MailedPage) {
  return (call: MailedCall) =>
    answer(call, page, false, { ...question, button: { action: call.url.pathname, label } })
}

function press({ done, ...page }: MailedPage) {
  return (call: MailedCall) => answer(call, page, true, done)
}

async function answer(
  { deps: { config, database }, params }: MailedCall,
  { ask, keyOf, unknown }: Pick<MailedPage, 'ask' | 'keyOf' | 'unknown'>,
  isPressed: boolean,
  known: AudiencePageProps,
): Promise<Response> {
  const values = [keyOf(params['token'] ?? ''), isPressed]
  const isKnown = await valueAs(
    database,
    { role: 'hoplet_worker' },
    `select ${ask}($1, $2)`,
    values,
  )
  if (isKnown !== true) return audiencePage(config.publicUrl, unknown, 404)
  return audiencePage(config.publicUrl, known)
}
