import pg from 'pg'
import { z } from 'zod'
import {
  providerKeys,
  webhookEventNames,
  webhookLimits,
  webhookProviderNames,
} from '#domain/webhooks.ts'
import type { Context } from '../context.ts'
import { HttpError } from '../http/errors.ts'
import {
  jsonBody,
  limitByAddress,
  limitByPerson,
  queryParameters,
  signedInPerson,
} from '../http/guards.ts'
import { type HttpCall, routesWith, uuidParameter } from '../http/router.ts'
import { allowsPrivateOf, problemOfEndpoint } from './endpoint-url.ts'
import { type ProviderSettings, providerUrl } from './lead-providers.ts'
import type { WebhookSettings } from './person-webhooks.ts'
import { orThrow } from '../primitives/or-throw.ts'

interface WebhookCall extends HttpCall {
  deps: Pick<Context, 'config' | 'database' | 'tokens' | 'rateLimits' | 'webhooks'>
}

const noSuchWebhook = () => new HttpError(404, 'No such webhook')
const noSuchDelivery = () => new HttpError(404, 'No such delivery')
const isProvider = () => new HttpError(409, 'Delete it, and add the provider again')
const isOff = () =>
  new HttpError(409, 'The webhook is off, or too many events wait. Switch it on first.')

const settingsBody = jsonBody(
  z.object({
    url: z
      .string('url is missing')
      .trim()
      .max(webhookLimits.url, 'The address is too long')
      .regex(/^\P{Cc}*$/u, 'This is not a web address'),
    description: z
      .string()
      .trim()
      .max(
        webhookLimits.description,
        `The description can have ${webhookLimits.description} characters`,
      )
      .regex(/^\P{Cc}*$/u, 'The description must be one line')
      .default(''),
    events: z
      .array(z.enum(webhookEventNames, `events can be ${webhookEventNames.join(', ')}`))
      .min(1, 'Choose at least one event')
      .max(100)
      .transform((events) => webhookEventNames.filter((name) => events.includes(name))),
    provider: z
      .object({
        kind: z.enum(webhookProviderNames),
        key: z
          .string()
          .trim()
          .min(1, 'Enter the API key')
          .max(250, 'The API key is too long')
          .regex(providerKeys.pattern, providerKeys.sentence),
        list: z
          .string()
          .trim()
          .regex(/^[\w-]{1,50}$/, 'Enter the ID of the list'),
      })
      .optional(),
  }),
)
const stateBody = jsonBody(z.object({ is_enabled: z.boolean('is_enabled is missing') }))
const page = queryParameters(
  z.object({
    before: z
      .string()
      .regex(/^\d{1,18}$/, 'before must be the id of a delivery')
      .optional(),
  }),
)

const webhookRoute = routesWith<WebhookCall>()
const perMinute = (name: string, burst: number) => ({ name, burst, windowSeconds: 60 })
const address = limitByAddress(perMinute('functions', 120))
const person = [address, signedInPerson] as const
const reads = limitByPerson(perMinute('webhook-reads', 120))
const writes = limitByPerson(perMinute('webhook-writes', 30))

/** A person's own webhooks: for their own session, not for apps. Errors as `{error}`. */
export const webhookRoutes = [
  /** → `{webhooks}` */
  webhookRoute('GET', '/webhooks', [...person, reads], async ({ deps, person: { id } }) =>
    answer({ webhooks: await deps.webhooks.list(id) }),
  ),
  /** `{url, description?, events}` → `{webhook, secret}`; the secret is shown this once. */
  webhookRoute('POST', '/webhooks', [...person, settingsBody, writes], async (call) => {
    try {
      return answer(await create(call), 201)
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.hint === 'too_many_rows')
        throw new HttpError(409, error.message)
      throw error
    }
  }),
  webhookRoute('PUT', '/webhooks/:id', [...person, settingsBody, writes], async (call) => {
    requireEndpoint(call)
    const before = await call.deps.webhooks.find(call.person.id, webhookOf(call))
    if (before !== undefined && before.provider !== null) throw isProvider()
    await call.deps.webhooks.change(call.person.id, webhookOf(call), call.body)
    return answerWebhook(call)
  }),
  webhookRoute('DELETE', '/webhooks/:id', [...person, writes], async (call) => {
    await call.deps.webhooks.delete(call.person.id, webhookOf(call))
    return answer({})
  }),
  /** `{is_enabled}`; switching it off gives up waiting events. */
  webhookRoute('POST', '/webhooks/:id/state', [...person, stateBody, writes], async (call) => {
    const { switchOn, switchOff } = call.deps.webhooks
    await (call.body.is_enabled ? switchOn : switchOff)(call.person.id, webhookOf(call))
    return answerWebhook(call)
  }),
  /** `{}` → `{secret}`; the one before it signs as well for a day. */
  webhookRoute('POST', '/webhooks/:id/rotate-secret', [...person, writes], async (call) => {
    const secret = await call.deps.webhooks.rotate(call.person.id, webhookOf(call))
    return answer({ secret: orThrow(secret, noSuchWebhook) })
  }),
  /** `{}` → `{delivery}`, its id */
  webhookRoute('POST', '/webhooks/:id/test', [...person, writes], async (call) => {
    const delivery = await call.deps.webhooks.test(call.person.id, webhookOf(call))
    if (delivery !== undefined) return answer({ delivery }, 202)
    await findWebhook(call)
    throw isOff()
  }),
  /** `?before=` → `{deliveries, has_more}`, newest first */
  webhookRoute('GET', '/webhooks/:id/deliveries', [...person, page, reads], async (call) => {
    const { before } = call.query
    await findWebhook(call)
    return answer(await call.deps.webhooks.deliveries(call.person.id, webhookOf(call), before))
  }),
  /** → `{delivery}` with `body` and `answer` */
  webhookRoute('GET', '/webhooks/:id/deliveries/:delivery', [...person, reads], async (call) => {
    const { person: owner, deps } = call
    const delivery = await deps.webhooks.delivery(owner.id, webhookOf(call), deliveryOf(call))
    return answer({ delivery: orThrow(delivery, noSuchDelivery) })
  }),
  webhookRoute(
    'POST',
    '/webhooks/:id/deliveries/:delivery/send',
    [...person, writes],
    async (call) => {
      const { person: owner, deps } = call
      const [webhook, delivery] = [webhookOf(call), deliveryOf(call)]
      if (await deps.webhooks.sendAgain(owner.id, webhook, delivery)) return answer({}, 202)
      orThrow(await deps.webhooks.delivery(owner.id, webhook, delivery), noSuchDelivery)
      throw isOff()
    },
  ),
]

type Owned = WebhookCall & { person: { id: string } }

type Settings = Owned & { body: WebhookSettings & { provider?: ProviderSettings | undefined } }

function create(call: Settings) {
  const { deps, body, person: owner } = call
  const { provider, ...settings } = body
  if (provider === undefined) {
    requireEndpoint(call)
    return deps.webhooks.create(owner.id, settings)
  }
  const url = orThrow(
    providerUrl(provider, settings.url, deps.config.webhooks.providerHosts),
    () => new HttpError(400, 'This is not a key and a list of this provider'),
  )
  requireEndpoint({ ...call, body: { url, provider } })
  const { kind, list, key: secret } = provider
  const wanted = { ...settings, url, events: ['lead.created' as const] }
  return deps.webhooks.create(owner.id, wanted, { provider: kind, list, secret })
}

function requireEndpoint({
  body: { url, provider },
  deps,
}: WebhookCall & { body: { url: string; provider?: ProviderSettings | undefined } }): void {
  const allowsPrivate = allowsPrivateOf(deps.config.webhooks, url, provider?.kind)
  const problem = problemOfEndpoint(url, allowsPrivate)
  if (problem !== undefined) throw new HttpError(400, problem)
}

/** @throws {HttpError} 404 */
const webhookOf = (call: HttpCall) => uuidParameter(call, 'id', noSuchWebhook)

/** @throws {HttpError} 404 */
function deliveryOf({ params: { delivery = '' } }: HttpCall): string {
  if (!/^\d{1,18}$/.test(delivery)) throw noSuchDelivery()
  return delivery
}

/** @throws {HttpError} 404 */
async function findWebhook(call: Owned) {
  const found = await call.deps.webhooks.find(call.person.id, webhookOf(call))
  return orThrow(found, noSuchWebhook)
}

async function answerWebhook(call: Owned): Promise<Response> {
  return answer({ webhook: await findWebhook(call) })
}

function answer(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}
