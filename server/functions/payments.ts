import { z } from 'zod'
import { readText } from '../http/body.ts'
import { jsonBody } from '../http/guards.ts'
import type { Added } from '../http/router.ts'
import { type FunctionCall, noStore, type PersonFunctionCall } from './call.ts'

/** `{}` → `{subscribed, plan, subscription_end}`. Every open tab asks every minute, so the provider is not asked. */
export async function checkSubscription({ deps, person }: PersonFunctionCall): Promise<Response> {
  return Response.json(await deps.billing.subscriptionOf(person.id), noStore)
}

/** The token says whose checkout it is; other fields are ignored. */
export const checkoutBody = jsonBody(z.object({ priceId: z.string('priceId is missing').max(255) }))

/** `{priceId}` → `{url}` of the page where the plan is paid, or changed when there is a subscription already. */
export async function openCheckout({
  deps,
  person,
  body,
}: PersonFunctionCall & Added<typeof checkoutBody>): Promise<Response> {
  return Response.json({ url: await deps.billing.openCheckout(person.id, body.priceId) }, noStore)
}

/** `{}` → `{url}` of the page with the person's own subscription, card and invoices. */
export async function customerPortal({ deps, person }: PersonFunctionCall): Promise<Response> {
  return Response.json({ url: await deps.billing.openPortal(person.id) }, noStore)
}

const maxEventBytes = 1024 * 1024

/** An event of the payment provider, proven by the signature over the raw body. Anything but 200 makes it come again. */
export async function stripeWebhook({ request, deps, info }: FunctionCall): Promise<Response> {
  const body = await readText(request, maxEventBytes)
  const outcome = await deps.billing.handleWebhook(body, request.headers.get('stripe-signature'))
  info.log.info({ outcome }, 'payment event handled')
  return Response.json({ received: true }, noStore)
}
