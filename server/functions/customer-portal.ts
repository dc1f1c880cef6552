import type { FunctionCall } from './call.ts'

/** `{}` → `{url}` of the page where the person's own subscription, card and invoices are. */
export async function customerPortal({
  context,
  person,
  takeTurn,
}: FunctionCall): Promise<Response> {
  takeTurn()
  const url = await context.billing.openPortal(person.id)
  return Response.json({ url }, { headers: { 'Cache-Control': 'no-store' } })
}
