import { transaction } from '../call.ts'
import type { SignedInCall } from '../guards.ts'

/** GET /user/oauth/changes: the last 50 things that apps did for this person, newest first. Not part of the protocol. */
export async function listAppChanges(call: SignedInCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query(
      `select id, at, app, action, kind, name from auth.app_changes
        where user_id = $1 order by id desc limit 50`,
      [call.user.id],
    ),
  )
  return Response.json(rows)
}
