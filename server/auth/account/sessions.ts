import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { endSessions } from '../sessions.ts'

interface OwnSession {
  id: string
  created_at: Date
  last_used_at: Date
  user_agent: string | null
  address: string | null
  aal: 'aal1' | 'aal2'
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** GET /user/sessions: where the person is signed in, last used first. Sessions of apps are listed with the apps. */
export async function listSessions(call: SignedInCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query<OwnSession>(
      `select id, created_at, refreshed_at as last_used_at, user_agent, ip as address, aal from auth.sessions
        where user_id = $1 and oauth_client_id is null and auth.session_is_live(id, user_id)
        order by refreshed_at desc, id limit 200`,
      [call.user.id],
    ),
  )
  const sessions = rows.map((session) => ({ ...session, current: session.id === call.session.id }))
  return Response.json(sessions, { headers: { 'Cache-Control': 'no-store' } })
}

/** DELETE /user/sessions/{id}: signs the person out there, at once. */
export async function endOwnSession(call: SignedInCall): Promise<Response> {
  const { id = '' } = call.params
  const ended = uuid.test(id)
    ? await transaction(call, (db) => endSessions(db, { user: call.user.id, only: id }))
    : 0
  if (ended === 0) throw authErrors.noSuchSession()
  recordEvent(call, 'session ended', {
    user_id: call.user.id,
    session_id: call.session.id,
    ended_session_id: id,
  })
  return new Response(null, { status: 204 })
}
