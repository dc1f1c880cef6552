import type { Hono } from 'hono'
import { hasJsonBody } from '../http/body.ts'
import { createRouter, type HttpCall, type HttpEnvironment } from '../http/router.ts'
import { DatabaseUnavailableError, SessionEndedError } from '../postgres/database.ts'
import { isLockFailure } from '../primitives/error-code.ts'
import { accountRoutes } from './account/routes.ts'
import { adminRoutes } from './admin/routes.ts'
import { AuthError, authErrorResponse } from './auth-error.ts'
import { type AuthDeps, authRoute } from './call.ts'
import { sendSignInLink } from './email-flows/otp.ts'
import { reauthenticate } from './email-flows/reauthenticate.ts'
import { recover } from './email-flows/recover.ts'
import { resend } from './email-flows/resend.ts'
import { showEmailedLink, verify } from './email-flows/verify.ts'
import { authErrors } from './errors.ts'
import { challengeFactor } from './factors/challenge.ts'
import { enrollFactor } from './factors/enroll.ts'
import { unenrollFactor } from './factors/unenroll.ts'
import { verifyFactor } from './factors/verify.ts'
import {
  hashingPlace,
  limit,
  limitHere,
  mailWorkMs,
  refuse,
  steadySignUp,
  steadyTime,
} from './guards.ts'
import { logOut } from './logout.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { signInWithPassword } from './password.ts'
import { HasherBusyError } from './password-hasher.ts'
import { captcha } from './protection/captcha.ts'
import { authorize, authorizeLinking } from './providers/authorize.ts'
import { comeBack, comeBackByForm } from './providers/callback.ts'
import { signInWithIdToken } from './providers/id-token-grant.ts'
import { exchangeCode } from './providers/pkce-grant.ts'
import { unlinkIdentity } from './providers/unlink.ts'
import { getHealth, getJwks, getSettings } from './public-facts.ts'
import { refreshSession } from './refresh.ts'
import { signUpWithPassword } from './sign-up.ts'
import { bothFactors, signedIn, signedInOrApp } from './signed-in.ts'
import { changeUser, getUser } from './user.ts'

const steady = steadyTime(mailWorkMs)
const grant = (name: string) => `/token?grant_type=${name}`

/** Every call of the auth protocol: method, path, guards in order, handler. */
export const authRoutes = [
  authRoute(
    'POST',
    '/signup',
    [limit('signUp'), captcha, hashingPlace, steadySignUp],
    signUpWithPassword,
  ),
  authRoute(
    'POST',
    grant('password'),
    [limitHere('token'), captcha, hashingPlace],
    signInWithPassword,
  ),
  // Counts for itself what does not come from a session: many tabs share one address.
  authRoute('POST', grant('refresh_token'), [], refreshSession),
  authRoute('POST', grant('id_token'), [limit('token'), captcha], signInWithIdToken),
  authRoute('POST', grant('pkce'), [limit('token')], exchangeCode),
  authRoute('POST', grant('web3'), [limit('token')], refuse(authErrors.web3Disabled)),
  authRoute('POST', '/token', [limit('token')], refuse(authErrors.unsupportedGrant)),
  authRoute('POST', '/sso', [], refuse(authErrors.ssoDisabled)),

  authRoute('POST', '/recover', [limit('mail'), captcha, steady], recover),
  authRoute('POST', '/otp', [limit('mail'), captcha, steady], sendSignInLink),
  authRoute('POST', '/magiclink', [limit('mail'), captcha, steady], sendSignInLink),
  authRoute('POST', '/resend', [limit('mail'), captcha, steady], resend),
  authRoute('GET', '/reauthenticate', [limit('mail'), signedIn], reauthenticate),
  authRoute('GET', '/verify', [limit('verify')], showEmailedLink),
  authRoute('POST', '/verify', [limit('verify'), steady], verify),

  authRoute('GET', '/user', [signedInOrApp], getUser),
  authRoute('PUT', '/user', [limit('change'), signedIn], changeUser),
  authRoute('POST', '/logout', [signedIn], logOut),
  ...accountRoutes,

  authRoute('GET', '/authorize', [limit('provider')], authorize),
  authRoute('GET', '/callback', [limit('provider')], comeBack),
  authRoute('POST', '/callback', [limit('provider')], comeBackByForm),
  authRoute(
    'GET',
    '/user/identities/authorize',
    [limit('provider'), signedIn, bothFactors],
    authorizeLinking,
  ),
  authRoute(
    'DELETE',
    '/user/identities/:identity',
    [limit('change'), signedIn, bothFactors],
    unlinkIdentity,
  ),

  authRoute('POST', '/factors', [limit('factor'), signedIn], enrollFactor),
  authRoute('DELETE', '/factors/:factor', [limit('factor'), signedIn], unenrollFactor),
  authRoute('POST', '/factors/:factor/challenge', [limit('factor'), signedIn], challengeFactor),
  authRoute('POST', '/factors/:factor/verify', [limit('factor'), signedIn], verifyFactor),

  ...oauthRoutes,
  ...adminRoutes,
  authRoute('GET', '/settings', [], getSettings),
  authRoute('GET', '/health', [], getHealth),
  authRoute('GET', '/.well-known/jwks.json', [], getJwks),
]

/** Calls that take a form, and decide for themselves which pages may send one. */
const formPaths = new Set(
  ['/verify', '/callback', '/oauth/token', '/oauth/revoke', '/oauth/userinfo'].map(
    (path) => `/auth/v1${path}`,
  ),
)

/**
 * The auth protocol under /auth/v1, as the official clients speak it. A person's mistake is answered with a 4xx of the
 * protocol (errors.ts), a lost database with 503.
 */
export function createAuthDoor(deps: AuthDeps): Hono<HttpEnvironment> {
  return createRouter({
    routes: authRoutes,
    toCall(call) {
      if (!formPaths.has(call.url.pathname)) refuseForms(call.request)
      return { ...call, deps }
    },
    notFound: authErrors.notFound,
    methodNotAllowed: authErrors.methodNotAllowed,
    toResponse: answerError,
  })
}

/** Also for calls without a body, what a form on another site can send is refused. @throws {AuthError} 415 */
function refuseForms(request: Request): void {
  if (request.headers.has('content-type') && !hasJsonBody(request) && !isRead(request))
    throw authErrors.notJson()
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

function answerError(error: unknown, { request, info }: HttpCall): Response | undefined {
  const known = toAuthError(error)
  if (!known) return undefined
  info.log.info({ status: known.status, code: known.code }, 'auth call refused')
  return authErrorResponse(known, request)
}

function toAuthError(error: unknown): AuthError | undefined {
  if (error instanceof AuthError) return error
  if (error instanceof HasherBusyError) return authErrors.tooManyRequests(2)
  if (error instanceof SessionEndedError) return authErrors.sessionNotFound()
  if (error instanceof DatabaseUnavailableError) return authErrors.databaseUnavailable()
  // A crowd on one account or session.
  if (isLockFailure(error)) return authErrors.conflict()
  return undefined
}
