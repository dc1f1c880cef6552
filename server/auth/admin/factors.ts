import { type AuthCall, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { deleteFactor, findFactor } from '../factors/factor-rows.ts'
import { emailFactorRemoved } from '../email-flows/emails.ts'
import { presentFactor } from '../present-user.ts'
import { lowerSessions } from '../sessions.ts'
import { findUser, lockUser } from '../users.ts'
import { namedUser } from './users.ts'

/** GET /admin/users/{id}/factors */
export async function getFactors(call: AuthCall): Promise<Response> {
  const user = await transaction(call, (db) => findUser(db, namedUser(call)))
  if (!user) throw authErrors.noSuchUser()
  return Response.json(user.factors.map(presentFactor), {
    headers: { 'Cache-Control': 'no-store' },
  })
}

/** DELETE /admin/users/{id}/factors/{factor}: for a person who has lost the phone. */
export async function removeFactor(call: AuthCall): Promise<Response> {
  const id = namedUser(call)
  const factor = await transaction(call, async (db) => {
    await lockUser(db, id)
    const user = await findUser(db, id)
    if (!user) throw authErrors.noSuchUser()
    const found = await findFactor(db, id, call.params['factor'])
    if (!found) throw authErrors.factorNotFound()
    await deleteFactor(db, found.id)
    await lowerSessions(db, found.id)
    await emailFactorRemoved(db, user, found)
    return found
  })
  call.deps.mail.wake()
  recordEvent(call, 'factor removed by the operator', { user_id: id, factor_id: factor.id })
  return Response.json({ id: factor.id }, { headers: { 'Cache-Control': 'no-store' } })
}
