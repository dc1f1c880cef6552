import type { AuthError } from '../auth-error.ts'
import { redirectWith } from '../redirects.ts'
import type { SignInProviderError } from './provider.ts'

/** For a person whom the provider `name` did not sign in. */
export function failureWords(reason: SignInProviderError['reason'], name: string): string {
  return {
    unavailable: `${name} does not answer right now. Please try again later.`,
    canceled: `The sign-in with ${name} was canceled.`,
    refused: `${name} refused the sign-in. Please try again.`,
    invalid: `The answer of ${name} could not be verified. Please try again.`,
  }[reason]
}

const oauthCodes = {
  unavailable: 'temporarily_unavailable',
  canceled: 'access_denied',
  refused: 'server_error',
  invalid: 'server_error',
}

/** Redirects to where the sign-in began, with the error of the provider. */
export function failedAt(
  redirectTo: string,
  name: string,
  { reason }: SignInProviderError,
): Response {
  return withError(redirectTo, {
    error: oauthCodes[reason],
    error_code: reason === 'canceled' ? 'access_denied' : 'unexpected_failure',
    error_description: failureWords(reason, name),
  })
}

/** Redirects to where the sign-in began, with our error. */
export function refusedAt(redirectTo: string, error: AuthError): Response {
  return withError(redirectTo, failureOf(error))
}

/** Our error as the parameters that clients read from the address. */
export function failureOf(error: AuthError): Record<string, string> {
  const isDenial = ['user_banned', 'signup_disabled', 'otp_expired'].includes(error.code)
  return {
    error: isDenial ? 'access_denied' : error.status >= 500 ? 'server_error' : 'invalid_request',
    error_code: error.code,
    error_description: error.message,
  }
}

/** PKCE clients read the query, others the fragment. */
function withError(redirectTo: string, facts: Record<string, string>): Response {
  return redirectWith(redirectTo, { query: facts, fragment: facts }, 302)
}
