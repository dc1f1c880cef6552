import type { Handler } from './call.ts'
import type { AuthError } from './auth-error.ts'

/** Stands where the protocol has something that this server has not, so that clients learn its name for that. */
export function off(error: () => AuthError): Handler {
  return () => Promise.reject(error())
}
