import { OAuthError } from '../auth-error.ts'

/** The errors that apps get, in the words of RFC 6749 5.2, 7009, 7591 and 8707. */
export const oauthErrors = {
  invalidRequest: (why: string) => new OAuthError(400, 'invalid_request', why),
  invalidClient: () =>
    new OAuthError(401, 'invalid_client', 'No such app, or not its secret', {
      headers: { 'WWW-Authenticate': 'Basic realm="oauth"' },
    }),
  invalidGrant: (why: string) => new OAuthError(400, 'invalid_grant', why),
  invalidScope: (why: string) => new OAuthError(400, 'invalid_scope', why),
  invalidTarget: () =>
    new OAuthError(400, 'invalid_target', 'resource must be an address of this server'),
  unauthorizedClient: () =>
    new OAuthError(400, 'unauthorized_client', 'The app is not registered for this grant type'),
  unsupportedGrantType: () =>
    new OAuthError(
      400,
      'unsupported_grant_type',
      'grant_type must be authorization_code or refresh_token',
    ),
  invalidRedirectUri: (why: string) => new OAuthError(400, 'invalid_redirect_uri', why),
  invalidClientMetadata: (why: string) => new OAuthError(400, 'invalid_client_metadata', why),
  /** RFC 6750 3: what a resource answers to a token that is not good, or not for this. */
  invalidToken: (why: string) =>
    new OAuthError(401, 'invalid_token', why, {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    }),
  insufficientScope: (scope: string) =>
    new OAuthError(403, 'insufficient_scope', `The app was not allowed ${scope}`, {
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    }),
}
