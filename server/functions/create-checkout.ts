import { z } from 'zod'
import { type FunctionCall, readBody } from './call.ts'

// Whose checkout it is says the token; whatever else is sent is not read.
const body = z.object({ priceId: z.string('priceId is missing').max(255) })

/** `{priceId}` → `{url}` of the page where it is paid, or changed when there is a subscription already. */
export async function createCheckout({
  context,
  person,
  request,
  takeTurn,
}: FunctionCall): Promise<Response> {
  const { priceId } = await readBody(request, body)
  takeTurn()
  const url = await context.billing.openCheckout(person.id, priceId)
  return Response.json({ url }, { headers: { 'Cache-Control': 'no-store' } })
}
