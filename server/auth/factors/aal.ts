import type { SignedInCall } from '../call.ts'
import type { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import type { Factor } from '../users.ts'

/**
 * Refuses what only the owner may do (another password, address or factor, unlinking, deletion) to a session whose
 * person has a second factor and has not shown it.
 *
 * @param refusal where the protocol wants another status or text than 403
 * @throws {AuthError} insufficient_aal
 */
export function requireAal2IfEnrolled(
  { user, session }: SignedInCall,
  refusal: AuthError = authErrors.insufficientAal(),
): void {
  if (isEnrolled(user.factors) && session.aal !== 'aal2') throw refusal
}

/** Whether somebody has a second factor that works. */
export function isEnrolled(factors: readonly Pick<Factor, 'status'>[]): boolean {
  return factors.some(({ status }) => status === 'verified')
}
