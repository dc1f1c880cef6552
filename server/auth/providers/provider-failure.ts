import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import { SignInProviderError } from './provider.ts'

/** Classifies failures between us and a provider. The message is for our log, without any token. */
export function asProviderError(error: unknown): SignInProviderError {
  if (error instanceof SignInProviderError) return error
  if (error instanceof AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'canceled' : 'refused'
    return new SignInProviderError(reason, `authorization: ${error.error}`)
  }
  if (error instanceof ResponseBodyError) {
    const reason = error.status >= 500 ? 'unavailable' : 'refused'
    return new SignInProviderError(reason, `token endpoint: ${error.status} ${error.error}`)
  }
  if (!(error instanceof Error)) return new SignInProviderError('invalid', 'unknown error')
  const code = 'code' in error ? String(error.code) : ''
  return new SignInProviderError(
    isOutage(error) ? 'unavailable' : 'invalid',
    `${code} ${error.message}`,
  )
}

/** No response, a late one, or a 5xx. */
function isOutage(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : ''
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|UND_ERR|OAUTH_TIMEOUT|OAUTH_ABORT)/.test(code)) return true
  if (error.name === 'TimeoutError' || error.message === 'fetch failed') return true
  const { cause } = error
  if (cause instanceof Response) return cause.status >= 500
  return cause instanceof Error && isOutage(cause)
}
