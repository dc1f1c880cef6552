import { isRaisedException } from '../../primitives/error-code.ts'
import * as z from 'zod'
import { readBody, transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { requireOwnPassword } from '../guessing/compare-password.ts'
import { maxPasswordBytes } from '../credentials.ts'
import { authErrors } from '../errors.ts'

const body = z.object({ password: z.string().max(maxPasswordBytes).nullish() })

/** How long a sign-in counts as recent. */
const recentSignInMs = 15 * 60_000

/**
 * DELETE /user: deletes one's own account and everything in it, at once and for good. The person must have signed in
 * within 15 minutes, or give the password.
 */
export async function deleteOwnAccount(call: SignedInCall): Promise<Response> {
  const { user, session } = call
  // The body is optional.
  const input = call.request.headers.has('content-type') ? await readBody(call, body) : {}
  if (input.password)
    await requireOwnPassword(call, input.password, authErrors.invalidCredentials())
  else if (Date.now() - session.created_at.getTime() > recentSignInMs)
    throw authErrors.reauthenticationNeeded()
  await transaction(call, (db) =>
    db.query('delete from auth.users where id = $1', [user.id]),
  ).catch(asLastAdmin)
  recordEvent(call, 'account deleted', { user_id: user.id, session_id: session.id })
  return new Response(null, { status: 204 })
}

/** A trigger keeps the last admin. */
export function asLastAdmin(error: unknown): never {
  if (isRaisedException(error)) throw authErrors.lastAdmin()
  throw error
}
