import { readStatus } from '../admin/system-status.ts'
import { httpErrors } from '../http/errors.ts'
import type { FunctionCall } from './call.ts'

/** `{}` → how the server is (server/admin/system-status.ts); for admins, asked anew at each call. */
export async function systemStatus(call: FunctionCall): Promise<Response> {
  const { context, person } = call
  const isAdmin = await context.database.transactionAs(
    { role: 'authenticated', claims: person.claims, readOnly: true },
    async (db) => {
      const { rowCount } = await db.query(
        `select from api.user_roles where user_id = $1 and role = 'admin'`,
        [person.id],
      )
      return rowCount === 1
    },
  )
  if (!isAdmin) throw httpErrors.forbidden()
  call.takeTurn()
  return Response.json(await readStatus(context), { headers: { 'Cache-Control': 'no-store' } })
}
