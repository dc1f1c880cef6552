import { AuthError } from './auth-error.ts'

const keysNeedName =
  'security keys need a site with a name, and PUBLIC_URL is an IP address. Set it to one such as https://links.example.com or http://localhost:3000'

/**
 * Every error of the auth door. Codes, statuses and most texts are GoTrue's (internal/api/apierrors/errorcode.go),
 * because the official clients depend on them.
 */
export const authErrors = {
  badJson: (why: string) => new AuthError(400, 'bad_json', why),
  bodyTooLarge: () => new AuthError(413, 'validation_failed', 'Request body is too large'),
  notJson: () => new AuthError(415, 'bad_json', 'Content-Type must be application/json'),
  invalid: (why: string) => new AuthError(400, 'validation_failed', why),
  notFound: () => new AuthError(404, 'not_found', 'The auth protocol has no such path'),
  methodNotAllowed: (allow: string) =>
    new AuthError(405, 'method_not_allowed', 'Method not allowed here', {
      headers: { Allow: allow },
    }),

  noAuthorization: () =>
    new AuthError(401, 'no_authorization', 'This endpoint requires a valid Bearer token'),
  badToken: (why: string) => new AuthError(403, 'bad_jwt', `invalid JWT: ${why}`),
  userNotFound: () =>
    new AuthError(403, 'user_not_found', 'User from sub claim in JWT does not exist'),
  sessionNotFound: () =>
    new AuthError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist'),

  noSuchSession: () => new AuthError(404, 'session_not_found', 'You are not signed in there'),
  noSuchUser: () => new AuthError(404, 'user_not_found', 'User not found'),
  noSoftDeletion: () =>
    new AuthError(
      422,
      'validation_failed',
      'should_soft_delete is not supported: delete the account for good, or ban it',
    ),
  reauthenticationNeeded: () =>
    new AuthError(403, 'reauthentication_needed', 'Please sign in again to confirm this.'),
  lastAdmin: () => new AuthError(422, 'last_admin', 'The last admin cannot be removed or demoted.'),

  insufficientScope: () =>
    new AuthError(403, 'insufficient_scope', 'An app may not do this; sign in yourself'),

  notAdmin: () => new AuthError(403, 'not_admin', 'User not allowed'),
  oauthClientNotFound: (status: 400 | 404 = 400) =>
    new AuthError(status, 'oauth_client_not_found', 'OAuth client not found'),
  authorizationNotFound: () =>
    new AuthError(
      404,
      'oauth_authorization_not_found',
      'This request has expired, was decided already, or is not yours',
    ),
  foreignOrigin: () =>
    new AuthError(400, 'validation_failed', 'unauthorized request origin: see AUTH_REDIRECT_URLS'),
  consentNotFound: () =>
    new AuthError(404, 'oauth_consent_not_found', 'This app has not been allowed anything'),
  registrationDisabled: () =>
    new AuthError(
      403,
      'oauth_dynamic_client_registration_disabled',
      'Apps are registered by the operator here',
    ),

  insufficientAal: (
    status: 401 | 403 | 422 = 403,
    message = 'A second factor is needed: AAL2 session is required',
  ) => new AuthError(status, 'insufficient_aal', message),
  factorNotFound: () => new AuthError(404, 'mfa_factor_not_found', 'Factor not found'),
  factorNameTaken: (name: string) =>
    new AuthError(
      422,
      'mfa_factor_name_conflict',
      `A factor with the friendly name "${name}" for this user already exists`,
    ),
  tooManyFactors: () =>
    new AuthError(
      422,
      'too_many_enrolled_mfa_factors',
      'Maximum number of enrolled factors reached, unenroll to continue',
    ),
  phoneFactorExists: () =>
    new AuthError(
      422,
      'mfa_verified_factor_exists',
      'A verified phone factor already exists, unenroll the existing factor to continue',
    ),
  phoneFactorDisabled: () =>
    new AuthError(422, 'mfa_phone_enroll_not_enabled', 'MFA enroll is disabled for Phone'),
  phoneCheckDisabled: () =>
    new AuthError(422, 'mfa_phone_verify_not_enabled', 'MFA verification is disabled for Phone'),
  webauthnDisabled: () =>
    new AuthError(
      422,
      'mfa_webauthn_enroll_not_enabled',
      `MFA enroll is disabled for WebAuthn: ${keysNeedName}`,
    ),
  webauthnCheckDisabled: () =>
    new AuthError(
      422,
      'mfa_webauthn_verify_not_enabled',
      `MFA verification is disabled for WebAuthn: ${keysNeedName}`,
    ),
  smsTooSoon: (seconds: number) =>
    new AuthError(
      429,
      'over_sms_send_rate_limit',
      `For security purposes, you can only request another code by text message after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      { retryAfter: seconds },
    ),
  smsFailed: () =>
    new AuthError(422, 'sms_send_failed', 'The text message could not be sent, try again later'),
  challengeNotFound: () =>
    new AuthError(
      422,
      'mfa_factor_not_found',
      'MFA factor with the provided challenge ID not found',
    ),
  challengeElsewhere: () =>
    new AuthError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'),
  challengeExpired: (id: string) =>
    new AuthError(
      422,
      'mfa_challenge_expired',
      `MFA challenge ${id} has expired, verify against another challenge or create a new challenge.`,
    ),
  factorRefused: (message: string) => new AuthError(422, 'mfa_verification_failed', message),

  signUpDisabled: () =>
    new AuthError(422, 'signup_disabled', 'Signups not allowed for this instance'),
  anonymousDisabled: () =>
    new AuthError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'),
  web3Disabled: () =>
    new AuthError(422, 'web3_provider_disabled', 'Sign-ins with a wallet are disabled'),
  ssoDisabled: () => new AuthError(404, 'saml_provider_disabled', 'SAML 2.0 is disabled'),
  phoneDisabled: () =>
    new AuthError(422, 'phone_provider_disabled', 'Phone numbers are not supported'),
  /** The same for an emailed code or link that is wrong, used, expired or unknown. */
  otpExpired: () => new AuthError(403, 'otp_expired', 'Token has expired or is invalid'),
  /** @param what for example `another sign-in email` */
  mailTooSoon: (what: string, seconds: number) =>
    new AuthError(
      429,
      'over_email_send_rate_limit',
      `For security purposes, you can only request ${what} after ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      { retryAfter: seconds },
    ),
  mailsUsedUp: (retryAfter: number) =>
    new AuthError(429, 'over_email_send_rate_limit', 'email rate limit exceeded', { retryAfter }),
  addressMissing: () =>
    new AuthError(
      422,
      'email_address_not_authorized',
      'The account has no email address to send to',
    ),
  nonceInvalid: () =>
    new AuthError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid'),
  currentPasswordWrong: () =>
    new AuthError(400, 'current_password_invalid', 'Current password is not right'),
  userExists: () => new AuthError(422, 'user_already_exists', 'User already registered'),
  userIdExists: () =>
    new AuthError(422, 'user_already_exists', 'A user with this id has already been registered'),
  emailExists: () =>
    new AuthError(
      422,
      'email_exists',
      'A user with this email address has already been registered',
    ),
  weakPassword: (minLength: number) =>
    new AuthError(422, 'weak_password', `Password should be at least ${minLength} characters.`, {
      details: { weak_password: { reasons: ['length'] } },
    }),
  passwordTooLong: () =>
    new AuthError(400, 'validation_failed', 'Password cannot be longer than 1024 bytes'),
  commonPassword: () =>
    new AuthError(
      422,
      'weak_password',
      'Password is known to be weak and easy to guess, please choose a different one.',
      { details: { weak_password: { reasons: ['pwned'] } } },
    ),
  captchaFailed: (why: string) =>
    new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${why})`),
  samePassword: () =>
    new AuthError(422, 'same_password', 'New password should be different from the old password.'),

  providerUnknown: () =>
    new AuthError(400, 'validation_failed', 'Unsupported provider: provider is not enabled'),
  providerFailed: (why: string) => new AuthError(422, 'unexpected_failure', why),
  flowLost: () =>
    new AuthError(
      400,
      'bad_oauth_state',
      'This sign-in has expired, is already finished, or was started in another browser. Please try again.',
    ),
  identityLinked: (isOwn: boolean) =>
    new AuthError(
      422,
      'identity_already_exists',
      isOwn ? 'Identity is already linked' : 'Identity is already linked to another user',
    ),
  issuerChanged: (name: string) =>
    new AuthError(
      422,
      'unexpected_failure',
      `${name} is not the provider that this sign-in belongs to. Please tell the operator of this site.`,
    ),
  manualLinkingDisabled: () =>
    new AuthError(404, 'manual_linking_disabled', 'Manual linking is disabled'),
  identityNotFound: () => new AuthError(422, 'identity_not_found', "Identity doesn't exist"),
  singleIdentity: () =>
    new AuthError(
      422,
      'single_identity_not_deletable',
      'User must have at least 1 identity after unlinking',
    ),
  emailConflict: () =>
    new AuthError(
      422,
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    ),
  codeUnknown: () =>
    new AuthError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found'),
  codeExpired: () =>
    new AuthError(422, 'flow_state_expired', 'invalid flow state, flow state has expired'),
  badVerifier: () =>
    new AuthError(
      400,
      'bad_code_verifier',
      'code challenge does not match previously saved code verifier',
    ),

  invalidCredentials: () => new AuthError(400, 'invalid_credentials', 'Invalid login credentials'),
  emailNotConfirmed: () => new AuthError(400, 'email_not_confirmed', 'Email not confirmed'),
  userBanned: (status: 400 | 403) => new AuthError(status, 'user_banned', 'User is banned'),
  unsupportedGrant: () => new AuthError(400, 'invalid_credentials', 'unsupported_grant_type'),
  refreshTokenNotFound: () =>
    new AuthError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'),
  refreshTokenUsed: () =>
    new AuthError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used'),
  conflict: () =>
    new AuthError(
      409,
      'conflict',
      'Too many requests for one account or session at once, try again',
    ),

  tooManyRequests: (retryAfter: number) =>
    new AuthError(429, 'over_request_rate_limit', 'Request rate limit reached', { retryAfter }),
  tooManyAttempts: (retryAfter: number) =>
    new AuthError(
      429,
      'over_request_rate_limit',
      `Too many sign-in attempts for this account. Please try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`,
      { retryAfter },
    ),
  databaseUnavailable: () =>
    new AuthError(503, 'database_unavailable', 'The service is not available right now', {
      retryAfter: 5,
    }),
}
