import type { AudiencePageProps } from '#public-pages/audience-page.tsx'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
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
  wordsIn: (texts: VisitorTexts['audience']) => PageWords
}

interface PageWords {
  question: Pick<AudiencePageProps, 'title' | 'text'>
  label: string
  done: AudiencePageProps
  unknown: AudiencePageProps
}

const confirmation: MailedPage = {
  ask: 'app.confirm_lead',
  keyOf: confirmationHash,
  wordsIn: (texts) => ({
    question: { title: texts.confirmTitle(), text: texts.confirmText() },
    label: texts.confirm(),
    done: { title: texts.confirmedTitle(), text: texts.confirmedText() },
    unknown: { title: texts.expiredTitle(), text: texts.expiredText() },
  }),
}

const leaving: MailedPage = {
  ask: 'app.leave_audience',
  // The database takes no text with other characters, such as NUL.
  keyOf: (token) => (/^[\w-]+$/.test(token) ? token : ''),
  wordsIn: (texts) => ({
    question: { title: texts.leaveTitle(), text: texts.leaveText() },
    label: texts.leave(),
    done: { title: texts.leftTitle(), text: texts.leftText() },
    unknown: { title: texts.unknownTitle(), text: texts.unknownText() },
  }),
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

function show(page: MailedPage) {
  return (call: MailedCall) => {
    const { question, label, unknown } = page.wordsIn(visitorTexts(defaultLanguage).audience)
    const button = { action: call.url.pathname, label }
    return answer(call, page, false, { known: { ...question, button }, unknown })
  }
}

function press(page: MailedPage) {
  return (call: MailedCall) => {
    const { done, unknown } = page.wordsIn(visitorTexts(defaultLanguage).audience)
    return answer(call, page, true, { known: done, unknown })
  }
}

async function answer(
  { deps: { config, database }, params }: MailedCall,
  { ask, keyOf }: Pick<MailedPage, 'ask' | 'keyOf'>,
  isPressed: boolean,
  { known, unknown }: Record<'known' | 'unknown', AudiencePageProps>,
): Promise<Response> {
  const values = [keyOf(params['token'] ?? ''), isPressed]
  const isKnown = await valueAs(
    database,
    { role: 'hoplet_worker' },
    `select ${ask}($1, $2)`,
    values,
  )
  if (isKnown !== true) return audiencePage(config, unknown, 404)
  return audiencePage(config, known)
}
