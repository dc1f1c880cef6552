import type { Outcome } from './attempts.ts'
import type { AuthError } from './auth-error.ts'
import { audit, type AuthCall, emailMark, type SignedInCall, transaction } from './call.ts'
import { authErrors } from './errors.ts'
import { findCredentials } from './users.ts'

export type Comparison =
  /** Not compared: come again in so many seconds. */
  | { wait: number }
  | {
      wait?: undefined
      isRight: boolean
      known: { id: string; encrypted_password: string | null } | undefined
    }

/**
 * Compares a password with that of the account, as often as the guard of guesses allows (attempts.ts). An account that
 * does not exist takes as long.
 *
 * @param email normalized
 */
export async function comparePassword(
  call: AuthCall,
  email: string,
  password: string,
): Promise<Comparison> {
  const admission = await call.attempts.admit({ email, address: call.caller.address, password })
  if (admission.wait !== undefined) return { wait: admission.wait }
  let outcome: Outcome = 'abandoned'
  try {
    const known = await transaction(call, (db) => findCredentials(db, email))
    const isRight = await call.context.hasher.verify(password, known?.encrypted_password)
    outcome = isRight && known ? 'right' : 'wrong'
    return { isRight: outcome === 'right', known }
  } finally {
    await admission.settle(outcome)
  }
}

/**
 * Asks somebody who is signed in for the password. Guesses count like those at the sign-in.
 *
 * @throws {AuthError} `refusal` for a wrong one, 429 for too many
 */
export async function requireOwnPassword(
  call: SignedInCall,
  password: string,
  refusal: AuthError,
): Promise<void> {
  const email = call.user.email ?? ''
  const compared = await comparePassword(call, email, password)
  if (compared.wait !== undefined) throw authErrors.tooManyAttempts(compared.wait)
  if (compared.isRight) return
  audit(call, 'password refused', { user_id: call.user.id, account: emailMark(email) })
  throw refusal
}
