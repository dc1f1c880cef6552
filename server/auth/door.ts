import { Hono, type MiddlewareHandler } from 'hono'
import { hasJsonBody } from '../http/body.ts'
import { tryAgainPage } from '../http/try-again-page.ts'
import {
  type DoorRoute,
  createRouter,
  type HttpCall,
  type HttpEnvironment,
} from '../http/router.ts'
import { SessionEndedError } from '../postgres/begin.ts'
import { DatabaseUnavailableError } from '../postgres/database.ts'
import { isLockFailure, isUnstorableText } from '../primitives/error-code.ts'
import {
  deleteOwnAccount,
  endOwnSession,
  exportOwnData,
  listEvents,
  listSessions,
  logOut,
} from './account.ts'
import { createApiKey, listApiKeys, revokeApiKey } from './api-keys.ts'
import { generateLink, inviteUser } from './admin/generate-link.ts'
import {
  changeUserAsOperator,
  createUser,
  deleteFactorAsOperator,
  deleteUser,
  getFactors,
  getUsers,
  readUser,
} from './admin/users.ts'
import { type AuthCall, type AuthDeps, authRoute } from './call.ts'
import { reauthenticate, recover, resend, sendSignInLink } from './email-flows/requests.ts'
import { showEmailedLink, verify } from './email-flows/verify.ts'
import { AuthError, authErrorResponse, authErrors } from './errors.ts'
import { challengeFactor } from './factors/challenge.ts'
import { enrollFactor, unenrollFactor } from './factors/enroll.ts'
import { verifyFactor } from './factors/verify.ts'
import {
  bothFactors,
  emailLogins,
  emailSignUps,
  fromAllowedOrigin,
  hashingSlot,
  limit,
  limitHere,
  manualLinking,
  mailWorkMs,
  refuse,
  serviceOnly,
  ownedAccount,
  signedIn,
  signedInOrApp,
  steadySignUp,
  steadyTime,
} from './guards.ts'
import { listAppChanges } from './oauth/app-changes.ts'
import { appBearer, getUserInfo } from './oauth/app-tokens.ts'
import { authorizeApp } from './oauth/authorize.ts'
import {
  decideAuthorization,
  giveUpAuthorization,
  listGrants,
  readAuthorization,
  revokeGrant,
} from './oauth/consent.ts'
import { getServerMetadata } from './oauth/discovery.ts'
import {
  changeClient,
  createClient,
  deleteClient,
  getClient,
  listAllClients,
  regenerateSecret,
  registerClient,
} from './oauth/register.ts'
import { issueAppToken, revokeToken } from './oauth/token-endpoint.ts'
import { authDescription } from './openapi/describe-auth.ts'
import { HasherBusyError } from './password-hasher.ts'
import { signInWithPassword } from './password.ts'
import { captcha } from './protection/captcha.ts'
import { exchangeCode, signInWithIdToken } from './providers/grants.ts'
import { unlinkIdentity } from './providers/identities.ts'
import { authorize, authorizeLinking, comeBack, comeBackByForm } from './providers/round-trip.ts'
import { getHealth, getJwks, getSettings } from './public-facts.ts'
import { refreshSession } from './refresh.ts'
import { signUpWithPassword } from './sign-up.ts'
import { changeUser, getUser } from './user.ts'
import { matchError } from '../primitives/caught-error.ts'

const steady = steadyTime(mailWorkMs)
const grant = (name: string) => `/token?grant_type=${name}`
const answersApp = [limit('app'), signedIn, bothFactors, fromAllowedOrigin] as const
const own = [signedIn, bothFactors] as const
const changesOwn = [limit('change'), signedIn, bothFactors] as const
const linksProvider = [limit('provider'), signedIn, bothFactors, manualLinking] as const
const signsUp = [limit('signUp'), emailSignUps, captcha, hashingSlot, steadySignUp] as const
const takesPassword = [limitHere('token'), emailLogins, captcha, hashingSlot] as const
const asksForMail = [limit('mail'), emailLogins, captcha, steady] as const
const authorization = '/oauth/authorizations/:authorization'
const client = '/admin/oauth/clients/:client'

/** Every call of the auth protocol: method, path, guards in order, handler. */
export const authRoutes: DoorRoute<AuthCall>[] = [
  authRoute('POST', '/signup', signsUp, signUpWithPassword),
  authRoute('POST', grant('password'), takesPassword, signInWithPassword),
  // Counts requests without a session separately: many tabs share one address.
  authRoute('POST', grant('refresh_token'), [], refreshSession),
  authRoute('POST', grant('id_token'), [limit('token'), captcha], signInWithIdToken),
  authRoute('POST', grant('pkce'), [limit('token')], exchangeCode),
  authRoute('POST', grant('web3'), [limit('token')], refuse(authErrors.web3Disabled)),
  authRoute('POST', '/token', [limit('token')], refuse(authErrors.unsupportedGrant)),
  authRoute('POST', '/sso', [], refuse(authErrors.ssoDisabled)),

  authRoute('POST', '/recover', asksForMail, recover),
  authRoute('POST', '/otp', asksForMail, sendSignInLink),
  authRoute('POST', '/magiclink', asksForMail, sendSignInLink),
  authRoute('POST', '/resend', asksForMail, resend),
  authRoute('GET', '/reauthenticate', [limit('mail'), emailLogins, signedIn], reauthenticate),
  authRoute('GET', '/verify', [limit('verify')], showEmailedLink),
  authRoute('POST', '/verify', [limit('verify'), steady], verify),

  authRoute('GET', '/user', [signedInOrApp], getUser),
  authRoute('PUT', '/user', [limit('change'), signedIn], changeUser),
  authRoute('POST', '/logout', [signedIn], logOut),
  // A person's own account, beyond the protocol: the Settings screen.
  authRoute('DELETE', '/user', changesOwn, deleteOwnAccount),
  authRoute('GET', '/user/sessions', own, listSessions),
  authRoute('DELETE', '/user/sessions/:id', own, endOwnSession),
  authRoute('GET', '/user/api-keys', [...own, ownedAccount], listApiKeys),
  authRoute('POST', '/user/api-keys', [...changesOwn, ownedAccount], createApiKey),
  authRoute('DELETE', '/user/api-keys/:id', [...own, ownedAccount], revokeApiKey),
  authRoute('GET', '/user/events', own, listEvents),
  authRoute(
    'GET',
    '/user/export',
    [limit('export'), signedIn, bothFactors, ownedAccount],
    exportOwnData,
  ),

  authRoute('GET', '/authorize', [limit('provider')], authorize),
  authRoute('GET', '/callback', [limit('provider')], comeBack),
  authRoute('POST', '/callback', [limit('provider')], comeBackByForm),
  authRoute('GET', '/user/identities/authorize', linksProvider, authorizeLinking),
  authRoute('DELETE', '/user/identities/:identity', [...changesOwn, manualLinking], unlinkIdentity),

  authRoute('POST', '/factors', [limit('factor'), signedIn], enrollFactor),
  authRoute('DELETE', '/factors/:factor', [limit('factor'), signedIn], unenrollFactor),
  authRoute('POST', '/factors/:factor/challenge', [limit('factor'), signedIn], challengeFactor),
  authRoute('POST', '/factors/:factor/verify', [limit('factor'), signedIn], verifyFactor),

  // The OAuth 2.1 server, by which apps act for people.
  authRoute('GET', '/oauth/authorize', [limit('app')], authorizeApp),
  authRoute('GET', authorization, answersApp, readAuthorization),
  authRoute(
    'POST',
    `${authorization}/consent`,
    [...changesOwn, fromAllowedOrigin],
    decideAuthorization,
  ),
  authRoute('POST', `${authorization}/release`, answersApp, giveUpAuthorization),
  authRoute('POST', '/oauth/token', [limit('app')], issueAppToken),
  authRoute('POST', '/oauth/revoke', [limit('app')], revokeToken),
  authRoute('GET', '/oauth/userinfo', [limit('app'), appBearer], getUserInfo),
  authRoute('POST', '/oauth/userinfo', [limit('app'), appBearer], getUserInfo),
  authRoute('POST', '/oauth/clients/register', [limit('registration')], registerClient),
  authRoute('GET', '/user/oauth/grants', own, listGrants),
  authRoute('GET', '/user/oauth/changes', own, listAppChanges),
  authRoute('DELETE', '/user/oauth/grants', own, revokeGrant),
  authRoute('GET', '/admin/oauth/clients', [serviceOnly], listAllClients),
  authRoute('POST', '/admin/oauth/clients', [serviceOnly], createClient),
  authRoute('GET', client, [serviceOnly], getClient),
  authRoute('PUT', client, [serviceOnly], changeClient),
  authRoute('DELETE', client, [serviceOnly], deleteClient),
  authRoute('POST', `${client}/regenerate_secret`, [serviceOnly], regenerateSecret),
  authRoute('GET', '/.well-known/openid-configuration', [], getServerMetadata),
  authRoute('GET', '/.well-known/oauth-authorization-server', [], getServerMetadata),

  // The admin API of the protocol: for the operator's programs, which hold the API key of role `service_role`.
  authRoute('GET', '/admin/users', [serviceOnly], getUsers),
  authRoute('POST', '/admin/users', [serviceOnly], createUser),
  authRoute('GET', '/admin/users/:user', [serviceOnly], readUser),
  authRoute('PUT', '/admin/users/:user', [serviceOnly], changeUserAsOperator),
  authRoute('DELETE', '/admin/users/:user', [serviceOnly], deleteUser),
  authRoute('GET', '/admin/users/:user/factors', [serviceOnly], getFactors),
  authRoute('DELETE', '/admin/users/:user/factors/:factor', [serviceOnly], deleteFactorAsOperator),
  authRoute('POST', '/admin/generate_link', [serviceOnly, emailLogins], generateLink),
  authRoute('POST', '/invite', [serviceOnly, emailLogins], inviteUser),

  authRoute('GET', '/settings', [], getSettings),
  authRoute('GET', '/health', [], getHealth),
  authDescription(() => authRoutes),
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
  const router = createRouter({
    routes: authRoutes,
    toCall(call) {
      if (!formPaths.has(call.url.pathname)) refuseForms(call.request)
      return { ...call, deps }
    },
    notFound: authErrors.notFound,
    methodNotAllowed: authErrors.methodNotAllowed,
    toResponse: (error, call) => answerError(error, call, deps),
  })
  return new Hono<HttpEnvironment>().use(notStored).route('/', router)
}

/** Most answers hold secrets or facts about a person. */
const notStored: MiddlewareHandler = async (c, next) => {
  await next()
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store')
}

/** Refuses the content types of forms on other sites, also for calls without a body. @throws {AuthError} 415 */
function refuseForms(request: Request): void {
  if (request.headers.has('content-type') && !hasJsonBody(request) && !isRead(request))
    throw authErrors.notJson()
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD'
}

function answerError(error: unknown, call: HttpCall, { config }: AuthDeps): Response | undefined {
  const known = toAuthError(error)
  if (!known) return undefined
  const { status, code, message, more } = known
  call.info.log.info({ status, code }, 'auth call refused')
  const page = pagePaths.has(call.url.pathname)
    ? tryAgainPage(call, { status, message, retryAfter: more.retryAfter }, config.publicUrl)
    : undefined
  return page ?? authErrorResponse(known, call.request)
}

/** Paths that a browser opens. */
const pagePaths = new Set(
  ['/verify', '/authorize', '/callback', '/oauth/authorize'].map((path) => `/auth/v1${path}`),
)

const unstorableText = 'The request has characters that cannot be stored'

function toAuthError(error: unknown): AuthError | undefined {
  return matchError(
    error,
    [AuthError, (known) => known],
    [HasherBusyError, () => authErrors.tooManyRequests(2)],
    [SessionEndedError, () => authErrors.sessionNotFound()],
    [DatabaseUnavailableError, () => authErrors.databaseUnavailable()],
    [
      Error,
      (other) => {
        // A crowd on one account or session.
        if (isLockFailure(other)) return authErrors.conflict()
        return isUnstorableText(other) ? authErrors.invalid(unstorableText) : undefined
      },
    ],
  )
}
