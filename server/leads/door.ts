import type { AudiencePageProps } from '#public-pages/audience-page.tsx'
import { emailForm } from '#domain/forms/forms.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'
import type { Context } from '../context.ts'
import { limitKey } from '../http/client-address.ts'
import { ownForm } from '../http/guards.ts'
import { notFoundPage, pageResponse } from '../http/public-page.ts'
import { type HttpCall, routesWith } from '../http/router.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import type { BucketPolicy } from '../primitives/token-bucket.ts'
import { audiencePage } from './audience-page.ts'
import { type GivenLead, keepLead } from './keep-lead.ts'
import { ifError } from '../primitives/caught-error.ts'
import { ifDefined } from '../primitives/if-defined.ts'

interface LeadCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'rateLimits' | 'secretBox' | 'mail'>
}
type JoinCall = LeadCall & { form: URLSearchParams }

/** A form is sent once, and again after a typing error. */
const perAddress: BucketPolicy = { name: 'lead', burst: 10, windowSeconds: 60 }
/** So that a crowd cannot fill an audience with one popup. */
const perPopup: BucketPolicy = { name: 'lead-popup', burst: 3_000, windowSeconds: 600 }

/** So that no address gets many emails, from however many popups. */
const perRecipient: BucketPolicy = { name: 'lead-recipient', burst: 20, windowSeconds: 86_400 }

/** The longest address percent-encoded, and the other fields. */
const maxBodyBytes = 4 * 1024

const leadRoute = routesWith<LeadCall>()

/** `/audience/join/{popup}`: the form of a popup, for visitors, who need neither an account nor scripts. */
export const joinRoutes = [leadRoute('POST', '/:popup', [ownForm(maxBodyBytes)], join)]

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const name = /^[a-z0-9_-]{1,50}$/

async function join(call: JoinCall): Promise<Response> {
  const { deps, info, params, form } = call
  const popupId = params['popup'] ?? ''
  const { prefix, site } = info.place
  const notFound = () => pageResponse(notFoundPage(site.publicUrl, site.appUrl), 404)
  if (!uuid.test(popupId)) return notFound()
  const given = givenIn(form, popupId, prefix)
  const { audience: texts } = visitorTexts(defaultLanguage)
  if (given === undefined) return again(call, 422, texts.notAnAddress())
  const wait =
    deps.rateLimits.take(perAddress, limitKey(info.address)) ??
    deps.rateLimits.take(perPopup, popupId) ??
    deps.rateLimits.take(perRecipient, given.email.toLowerCase())
  if (wait !== undefined) return again(call, 429, texts.tooMany(), wait)
  const keep = async () => {
    const { outcome, double_opt_in, is_due } = await keepLead(deps, given)
    info.log.info({ popup: popupId, outcome }, 'lead')
    if (is_due) deps.mail.wake()
    if (outcome === 'not-kept') return notFound()
    if (outcome === 'unknown-version') return again(call, 409, texts.formChanged())
    return thanks(call, double_opt_in)
  }
  const away = () => again(call, 503, texts.notStored(), 5)
  return keep().catch(ifError(DatabaseUnavailableError, away))
}

/** The link or page with the popup, which the form names. */
function surfaceIn(form: URLSearchParams): string | undefined {
  return name.exec((form.get('from') ?? '').toLowerCase())?.[0]
}

function givenIn(form: URLSearchParams, popupId: string, prefix: string): GivenLead | undefined {
  const email = emailForm.safeParse({ email: form.get('email') ?? '' })
  if (!email.success) return undefined
  const version = Number(form.get('version'))
  const source = (form.get('source') ?? '').replaceAll(/[^\w.:/@+ -]/g, '').slice(0, 100)
  return {
    popupId,
    version: Number.isInteger(version) && version > 0 && version < 2 ** 31 ? version : 0,
    email: email.data.email,
    from: ifDefined(surfaceIn(form), (name) => prefix + name) ?? null,
    source: source || null,
  }
}

/**
 * One sentence for all addresses of an account, so that no one learns who is in its audience or has left it. For a full
 * audience too: the visitor can do nothing about it, and the owner sees it.
 */
function thanks(call: JoinCall, asksAll: boolean): Response {
  const { audience: texts } = visitorTexts(defaultLanguage)
  const text = asksAll ? texts.thanksConfirm() : texts.thanksSaved()
  return answer(call, { title: texts.thanksTitle(), text, way: wayOn(call) })
}

function again(call: JoinCall, status: number, text: string, wait?: number): Response {
  const headers: Record<string, string> = {
    ...(wait !== undefined && { 'Retry-After': `${wait}` }),
  }
  const title = visitorTexts(defaultLanguage).audience.againTitle()
  return answer(call, { title, text, way: wayOn(call) }, status, headers)
}

/** Back to the link or page, which leads on. */
function wayOn({ form }: JoinCall): { href: string; label: string } | undefined {
  const label = visitorTexts(defaultLanguage).audience.continue()
  return ifDefined(surfaceIn(form), (from) => ({ href: `/${from}`, label }))
}

/** A page; the script of a visitor's page asks for its text alone. */
function answer(
  { info, request }: JoinCall,
  props: AudiencePageProps,
  status?: number,
  headers: Record<string, string> = {},
): Response {
  if (request.headers.get('accept')?.startsWith('text/plain'))
    return new Response(visitorTexts(defaultLanguage).audience.answer(props), {
      status: status ?? 200,
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'no-store',
        ...headers,
      },
    })
  return audiencePage(info.place.site, props, status, headers)
}
