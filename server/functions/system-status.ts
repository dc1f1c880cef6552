import { readStatus } from '../admin/system-status.ts'
import { type FunctionCall, noStore } from './call.ts'

/** `{}` → the state of the server (server/admin/system-status.ts), for admins. */
export async function systemStatus({ deps }: FunctionCall): Promise<Response> {
  return Response.json(await readStatus(deps), noStore)
}
