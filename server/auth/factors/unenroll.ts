import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { emailFactorRemoved } from '../email-flows/emails.ts'
import { lowerSessions } from '../sessions.ts'
import { lockUser } from '../users.ts'
import { deleteFactor, findFactor } from './factor-rows.ts'

/** DELETE /factors/{id}: removes a factor; sessions that were raised with it fall back to aal1. A verified one needs aal2. */
export async function unenrollFactor(call: SignedInCall): Promise<Response> {
  const factor = await transaction(call, async (db) => {
    if (!(await lockUser(db, call.user.id))) throw authErrors.userNotFound()
    const found = await findFactor(db, call.user.id, call.params['factor'])
    if (!found) throw authErrors.factorNotFound()
    if (found.status === 'verified' && call.session.aal !== 'aal2') {
      throw authErrors.insufficientAal(422, 'AAL2 required to unenroll verified factor')
    }
    await deleteFactor(db, found.id)
    await lowerSessions(db, found.id)
    await emailFactorRemoved(db, call.user, found)
    return found
  })
  call.deps.mail.wake()
  recordEvent(call, 'factor removed', {
    user_id: call.user.id,
    session_id: call.session.id,
    factor_id: factor.id,
    type: factor.factor_type,
    status: factor.status,
  })
  return Response.json({ id: factor.id }, { headers: { 'Cache-Control': 'no-store' } })
}
