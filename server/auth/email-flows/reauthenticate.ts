import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { emailToken } from './emails.ts'
import { findByCode, consumeToken } from './one-time-tokens.ts'
import { admitMail, codesOf, countWrongCode, mayTryCode } from './mail-limits.ts'
import { accepted } from './request.ts'

/** GET /reauthenticate: emails a code that confirms, with a change of password, that it is still the same person. */
export async function reauthenticate(call: SignedInCall): Promise<Response> {
  const { id: userId, email } = call.user
  if (email === null) throw authErrors.addressMissing()
  await admitMail(call, 'reauthentication', email)
  const { publicUrl: redirectTo } = call.deps.config
  await transaction(call, (db) =>
    emailToken(db, call, { userId, kind: 'reauthentication', email, redirectTo }),
  )
  call.deps.mail.wake()
  recordEvent(call, 'reauthentication asked for', { user_id: userId, session_id: call.session.id })
  return accepted()
}

/**
 * Consumes a reauthentication code, in a transaction of its own: a wrong one counts although the change fails.
 *
 * @throws {AuthError} 422 reauthentication_not_valid
 */
export async function spendNonce(call: SignedInCall, nonce: string): Promise<void> {
  const { id: of, email } = call.user
  const isGood = await transaction(call, async (db) => {
    if (email === null || nonce.includes('\0')) return false
    const target = codesOf(of)
    if (!(await mayTryCode(call, db, target))) return false
    const wanted = { kinds: ['reauthentication'] as const, email, code: nonce.trim(), of }
    const { token, isGuess } = await findByCode(db, call.deps.secretBox, wanted)
    if (token) return consumeToken(db, token)
    if (isGuess) await countWrongCode(call, db, target)
    return false
  })
  if (isGood) return
  recordEvent(call, 'reauthentication failed', { user_id: of, session_id: call.session.id })
  throw authErrors.nonceInvalid()
}
