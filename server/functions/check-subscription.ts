import type { FunctionCall } from './call.ts'

/** `{}` → `{subscribed, plan, subscription_end}`. Every open tab asks every minute: no provider hears of it. */
export async function checkSubscription({
  context,
  person,
  takeTurn,
}: FunctionCall): Promise<Response> {
  takeTurn()
  return Response.json(await context.billing.subscriptionOf(person.id), {
    headers: { 'Cache-Control': 'no-store' },
  })
}
