import { readText } from '../http/body.ts'
import type { AnybodysHandler } from './call.ts'

const mostBytes = 1024 * 1024

/** An event of the payment provider; its signature over the raw body says that it is one. Anything but 200 makes it come again. */
export const stripeWebhook: AnybodysHandler = async ({ request, context, caller }) => {
  const body = await readText(request, mostBytes)
  const outcome = await context.billing.takeEvent(body, request.headers.get('stripe-signature'))
  caller.log.info({ outcome }, 'event taken')
  return Response.json({ received: true }, { headers: { 'Cache-Control': 'no-store' } })
}
