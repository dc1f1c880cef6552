import { z } from 'zod'
import { popupLimits } from '#domain/popups/popup-limits.ts'
import { popupFieldMessages, popupNotices } from '#domain/texts/popup-texts.ts'
import { readStatus } from '../admin/system-status.ts'
import { liveQuery } from '../analytics/asked-hits.ts'
import { clickLogQuery, readClickLog } from '../analytics/click-log.ts'
import { csvQuery, sendHitsCsv } from '../analytics/hits-csv.ts'
import { sendLiveHits } from '../analytics/live/send-live-hits.ts'
import type { SubscriptionStatus } from '../billing/subscription-status.ts'
import type { Context } from '../context.ts'
import { readText } from '../http/body.ts'
import { sendTag, tagQuery } from '../pictures/send-tag.ts'
import { maxLookBytes } from '../qr/find-looks.ts'
import { qrCodeBody, qrCodeQuery, sendQrCode } from '../qr/send-qr-code.ts'
import { qrSheetBody, qrSheetQuery, sendQrSheet } from '../qr/send-qr-sheet.ts'
import {
  adminOnly,
  jsonBody,
  limitByAddress,
  limitByPerson,
  queryParameters,
  serviceRoleOnly,
  signedInMember,
  signedInPerson,
  signedInPersonOrApp,
} from '../http/guards.ts'
import { httpErrors } from '../http/errors.ts'
import { type HttpCall, routesWith } from '../http/router.ts'

interface FunctionCall extends HttpCall {
  deps: Pick<
    Context,
    | 'config'
    | 'installation'
    | 'database'
    | 'tokens'
    | 'rateLimits'
    | 'visits'
    | 'analytics'
    | 'mail'
    | 'ai'
    | 'billing'
    | 'log'
    | 'makePdf'
  >
}

const perMinute = (name: string, burst: number) => ({ name, burst, windowSeconds: 60 })
const limit = (name: string, burst: number) => limitByPerson(perMinute(name, burst))
const generation = limit('ai', 15)
const payment = limit('payment', 20)

/** The token identifies the buyer; other fields are ignored. */
const checkoutBody = jsonBody(z.object({ priceId: z.string('priceId is missing').max(255) }))

/** @param missing the answer to an empty prompt */
function promptOf(missing: { title: string }) {
  return z
    .string(missing.title)
    .trim()
    .min(1, missing.title)
    .max(popupLimits.prompt, popupFieldMessages.promptLength)
}

const contentBody = jsonBody(
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('content'), prompt: promptOf(popupNotices.contentPromptMissing) }),
      z.object({ type: z.literal('design'), prompt: promptOf(popupNotices.designPromptMissing) }),
    ],
    "type must be 'content' or 'design'",
  ),
)

const color = z.string().regex(/^#[0-9a-f]{6}$/i, 'a color must look like #1a2b3c')

const imageBody = jsonBody(
  z.object({
    prompt: promptOf(popupNotices.imagePromptMissing),
    /** The popup's, for the image to match. */
    palette: z.object({ background: color, accent: color }).optional(),
  }),
)

/** Answers check-subscription where there are no plans. */
const everybodysPlan: SubscriptionStatus = {
  subscribed: false,
  plan: 'business',
  subscription_end: null,
}

const functionRoute = routesWith<FunctionCall>()
/** The address is limited first, so that guessing tokens costs something; the person last, so that slips cost nothing. */
const address = limitByAddress(perMinute('functions', 120))
/** Without plans, as if the call did not exist. @throws {HttpError} 404 */
const plansOnly = ({ deps }: FunctionCall): void => {
  if (!deps.installation.hasPlans()) throw httpErrors.notFound()
}
const person = [address, signedInPerson] as const
const popupEditor = [address, signedInMember('popups:write')] as const
const reader = [address, signedInMember('links:read')] as const
const designer = [address, signedInPersonOrApp('links:read')] as const
const analyst = [address, signedInPersonOrApp('analytics:read')] as const

/** `POST /functions/v1/{name}`, or GET for streams and files; errors as `{error}`. */
export const functionRoutes = [
  /** `{}` → `{text, image}`: true where an AI is connected; the server drafts the rest. */
  functionRoute('POST', '/ai-status', [...reader, limit('ai-status', 30)], ({ deps }) =>
    answer(deps.ai.connected),
  ),
  /** `{}` → `{subscribed, plan, subscription_end}`. Every open tab asks every minute, so the provider is not asked. */
  functionRoute(
    'POST',
    '/check-subscription',
    [...reader, limit('subscription', 60)],
    async ({ deps, person: { id } }) =>
      answer(deps.installation.hasPlans() ? await deps.billing.subscriptionOf(id) : everybodysPlan),
  ),
  /** `{priceId}` → `{url}` of the page where the plan is paid, or changed when there is a subscription already. */
  functionRoute(
    'POST',
    '/create-checkout',
    [plansOnly, ...person, checkoutBody, payment],
    async (call) =>
      answer({ url: await call.deps.billing.openCheckout(call.person.id, call.body.priceId) }),
  ),
  /** `{}` → `{url}` of the page with the person's own subscription, card and invoices. */
  functionRoute('POST', '/customer-portal', [plansOnly, ...person, payment], async (call) =>
    answer({ url: await call.deps.billing.openPortal(call.person.id) }),
  ),
  functionRoute(
    'POST',
    '/stripe-webhook',
    [plansOnly, limitByAddress(perMinute('event', 3_000))],
    takeEvent,
  ),
  /** `{prompt, type: 'content' | 'design'}` → `{content}`, the text of a JSON object (read by domain/popups/popup-generated.ts). */
  functionRoute(
    'POST',
    '/generate-popup-content',
    [...popupEditor, contentBody, generation],
    async ({ deps, info, person: { id, personId }, body: { type, prompt } }) => {
      const generate = type === 'content' ? deps.ai.generateContent : deps.ai.generateDesign
      const request = { userId: personId, accountId: id, log: info.log }
      const generated = await generate(prompt, request)
      return answer({ content: JSON.stringify(generated) })
    },
  ),
  /** `{prompt, palette?}` → `{imageUrl}`, a path under /media/. */
  functionRoute(
    'POST',
    '/generate-popup-image',
    [...popupEditor, imageBody, generation],
    async ({ deps, info, person: { id, personId }, body: { prompt, palette } }) => {
      const request = { userId: personId, accountId: id, log: info.log }
      return answer({ imageUrl: await deps.ai.generateImage(prompt, palette, request) })
    },
  ),
  functionRoute(
    'POST',
    '/system-status',
    [...person, adminOnly, limit('status', 30)],
    async ({ deps }) => answer(await readStatus(deps)),
  ),
  /** → `{address, forwardedFor}`: the caller's address as this server sees it, for `npm run doctor`. */
  functionRoute('GET', '/request-origin', [address, serviceRoleOnly], ({ request, info }) => {
    const forwardedFor = request.headers.get('x-forwarded-for')?.split(/,\s*/) ?? []
    return answer({ address: info.address, forwardedFor })
  }),
  /** `?scope=account|link|bio|bio_link&id=` → server-sent events; not of a tag. */
  functionRoute(
    'GET',
    '/live',
    [...analyst, queryParameters(liveQuery), limit('live', 60)],
    (call) => sendLiveHits(call),
  ),
  /** `?scope=&id=&from=&to=&include=` → one line per hit, newest first. */
  functionRoute(
    'GET',
    '/clicks.csv',
    [...analyst, queryParameters(csvQuery), limit('clicks-csv', 30)],
    (call) => sendHitsCsv(call),
  ),
  /** `?code=&format=png|pdf` → the tag of the person's link as a file. */
  functionRoute(
    'GET',
    '/link-tag',
    [...reader, queryParameters(tagQuery), limit('link-tag', 20)],
    (call) => sendTag(call),
  ),
  /** `?code=&page=&placement=&look=&format=png|svg|pdf&size=` → a QR code as a file. */
  functionRoute(
    'GET',
    '/qr-code',
    [...designer, queryParameters(qrCodeQuery), limit('qr-code', 60)],
    (call) => sendQrCode(call),
  ),
  /** The same as JSON, where `look` may be a look that is not saved. */
  functionRoute(
    'POST',
    '/qr-code',
    [...designer, limit('qr-code', 60), jsonBody(qrCodeBody, maxLookBytes)],
    (call) => sendQrCode({ ...call, query: call.body }),
  ),
  /** `?codes=&code=&placements=&page=&label=&copies=&start=&caption=` → labels with QR codes as a PDF. */
  functionRoute(
    'GET',
    '/qr-sheet',
    [...designer, queryParameters(qrSheetQuery), limit('qr-sheet', 20)],
    (call) => sendQrSheet(call),
  ),
  functionRoute(
    'POST',
    '/qr-sheet',
    [...designer, limit('qr-sheet', 20), jsonBody(qrSheetBody, maxLookBytes)],
    (call) => sendQrSheet({ ...call, query: call.body }),
  ),
  /** `?scope=account` → `{waiting, lag_seconds}`. */
  functionRoute(
    'GET',
    '/click-log',
    [...analyst, queryParameters(clickLogQuery), limit('click-log', 60)],
    async (call) => answer(await readClickLog(call)),
  ),
]

function answer(body: unknown): Response {
  return Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
}

const maxEventBytes = 1024 * 1024

/** An event of the payment provider, proven by the signature over the raw body. Anything but 200 makes it come again. */
async function takeEvent({ request, deps, info }: FunctionCall): Promise<Response> {
  const body = await readText(request, maxEventBytes)
  const outcome = await deps.billing.handleWebhook(body, request.headers.get('stripe-signature'))
  info.log.info({ outcome }, 'payment event handled')
  return answer({ received: true })
}
