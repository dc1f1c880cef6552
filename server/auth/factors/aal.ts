import type { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import type { Factor } from '../users.ts'

interface Standing {
  user: { factors: readonly Pick<Factor, 'status'>[] }
  session: { aal: 'aal1' | 'aal2' }
}

/**
 * Refuses a session whose person has a second factor and has not shown it.
 *
 * @param refusal where the protocol wants another status or text than 403
 * @throws {AuthError} insufficient_aal
 */
export function requireAal2IfEnrolled(
  { user, session }: Standing,
  refusal: AuthError = authErrors.insufficientAal(),
): void {
  if (isEnrolled(user.factors) && session.aal !== 'aal2') throw refusal
}

/** Whether one of the factors is verified, so that it counts. */
export function isEnrolled(factors: readonly Pick<Factor, 'status'>[]): boolean {
  return factors.some(({ status }) => status === 'verified')
}
