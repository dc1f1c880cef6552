import type { Context } from '../context.ts'
import { limitByAddress, ownForm } from '../http/guards.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import type { Database } from '../postgres/database.ts'
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

/** `/audience/confirm/{token}`: nothing happens until the button is pressed, so mail scanners confirm nothing. */
export const confirmRoutes = [
  mailedRoute('GET', '/:token', [limited], (call) => confirm(call, false)),
  mailedRoute('POST', '/:token', [limited, ownForm(maxBodyBytes)], (call) => confirm(call, true)),
]

/** `/audience/leave/{token}`: the POST also comes from mail programs, without a page of ours before it (RFC 8058). */
export const leaveRoutes = [
  mailedRoute('GET', '/:token', [limited], (call) => leave(call, false)),
  mailedRoute('POST', '/:token', [limited], (call) => leave(call, true)),
]

async function confirm({ deps, params, url }: MailedCall, isPressed: boolean): Promise<Response> {
  const { publicUrl } = deps.config
  const hash = confirmationHash(params['token'] ?? '')
  const isOpen = await ask(deps.database, 'app.confirm_lead', hash, isPressed)
  if (!isOpen)
    return audiencePage(
      publicUrl,
      { title: 'This link has expired', text: 'Please enter your address again.' },
      404,
    )
  if (isPressed)
    return audiencePage(publicUrl, { title: 'Thank you', text: 'Your address is confirmed.' })
  const button = { action: url.pathname, label: 'Confirm email address' }
  const text = 'Press the button to receive emails.'
  return audiencePage(publicUrl, { title: 'Confirm your email address', text, button })
}

async function leave({ deps, params, url }: MailedCall, isPressed: boolean): Promise<Response> {
  const { publicUrl } = deps.config
  const isKnown = await ask(deps.database, 'app.leave_audience', params['token'] ?? '', isPressed)
  if (!isKnown)
    return audiencePage(
      publicUrl,
      { title: 'Unknown address', text: 'This address receives no emails here.' },
      404,
    )
  if (isPressed)
    return audiencePage(publicUrl, {
      title: 'You have unsubscribed',
      text: 'The owner may no longer email you.',
    })
  const button = { action: url.pathname, label: 'Unsubscribe' }
  return audiencePage(publicUrl, {
    title: 'Unsubscribe?',
    text: 'Press the button to leave.',
    button,
  })
}

async function ask(
  database: Database,
  name: 'app.confirm_lead' | 'app.leave_audience',
  key: Buffer | string,
  isPressed: boolean,
): Promise<boolean> {
  const text = `select ${name}($1, $2)`
  return (await valueAs(database, { role: 'hoplet_worker' }, text, [key, isPressed])) === true
}
