import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'

const maxEvents = 50

/** What happened to the person's account, as they may see it. */
interface OwnEventRow {
  id: string
  at: Date
  event: string
  address: string | null
  user_agent: string | null
}

/** GET /user/events: the last 50 security events of one's own account, newest first. */
export async function listEvents(call: SignedInCall): Promise<Response> {
  // Events of the last moments are not stored yet.
  await call.deps.securityEvents.flush()
  const { rows } = await transaction(call, (db) =>
    db.query<OwnEventRow>(
      `select id, at, event, address, user_agent from auth.security_events
        where user_id = $1 order by id desc limit ${maxEvents}`,
      [call.user.id],
    ),
  )
  return Response.json(rows, { headers: { 'Cache-Control': 'no-store' } })
}
