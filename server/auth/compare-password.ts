import type { Outcome } from './attempts.ts'
import { type AuthCall, transaction } from './call.ts'
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
