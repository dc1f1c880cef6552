import { audit, type SignedInCall, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import { mailToken, sendSoon } from './letters.ts'
import { findByCode, takeToken } from './one-time-tokens.ts'
import { admitMail, codesOf, mayTryCode, noteWrongCode } from './pace.ts'
import { noted } from './request.ts'

/** GET /reauthenticate: mails a code that shows, beside a change of password, that it is still the same person. */
export async function reauthenticate(call: SignedInCall): Promise<Response> {
  const { id: userId, email } = call.user
  if (email === null) throw authErrors.addressMissing()
  await admitMail(call, 'reauthentication', email)
  const { publicUrl: redirectTo } = call.context.config
  await transaction(call, (db) =>
    mailToken(db, call, { userId, kind: 'reauthentication', email, redirectTo }),
  )
  sendSoon(call)
  audit(call, 'reauthentication asked for', { user_id: userId, session_id: call.session.id })
  return noted()
}

/**
 * Uses a reauthentication code up. In a transaction of its own: a wrong one has to be counted though the change fails.
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
    const { token, isGuess } = await findByCode(db, call.context.secretBox, wanted)
    if (token) return takeToken(db, token)
    await noteWrongCode(call, db, target, isGuess)
    return false
  })
  if (isGood) return
  audit(call, 'reauthentication failed', { user_id: of, session_id: call.session.id })
  throw authErrors.nonceInvalid()
}
