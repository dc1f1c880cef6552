import type { Context } from '../context.ts'
import { deleteOwnAccount } from './account/delete-account.ts'
import { accountRoutes } from './account/routes.ts'
import type { Caller, Door } from '../http/door.ts'
import { DatabaseUnavailableError, SessionEndedError } from '../postgres/database.ts'
import { adminRoutes } from './admin/routes.ts'
import { createAttemptGuard } from './attempts.ts'
import { type Handler, isJson } from './call.ts'
import { AuthError, errorResponse } from './auth-error.ts'
import { authErrors } from './errors.ts'
import { challengeFactor } from './factors/challenge.ts'
import { enrollFactor } from './factors/enroll.ts'
import { unenrollFactor } from './factors/unenroll.ts'
import { verifyFactor } from './factors/verify.ts'
import { getHealth } from './health.ts'
import { getJwks } from './jwks.ts'
import { limited, policies } from './limits.ts'
import { logOut } from './logout.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { sendSignInLink } from './mailed/otp.ts'
import { reauthenticate } from './mailed/reauthenticate.ts'
import { recover } from './mailed/recover.ts'
import { resend } from './mailed/resend.ts'
import { showMailedLink, verify } from './mailed/verify.ts'
import { off } from './off.ts'
import { HasherBusyError } from './password-hasher.ts'
import { captchaChecked } from './protection/captcha.ts'
import { homesOf } from './protection/homes.ts'
import { authorize, authorizeLinking } from './providers/authorize.ts'
import { comeBack, comeBackByForm } from './providers/callback.ts'
import { unlinkIdentity } from './providers/unlink.ts'
import { getSettings } from './settings.ts'
import { signUp } from './sign-up.ts'
import { signedIn } from './signed-in.ts'
import { issueToken } from './token.ts'
import { changeUser, getUser } from './user.ts'

/** Every call of the door: path, methods, guards, handler. */
export const routes: Record<string, Record<string, Handler>> = {
  '/signup': { POST: limited(policies.signUp, captchaChecked(signUp)) },
  '/token': { POST: issueToken },
  '/sso': { POST: off(authErrors.ssoDisabled) },
  '/recover': { POST: limited(policies.mail, captchaChecked(recover)) },
  '/otp': { POST: limited(policies.mail, captchaChecked(sendSignInLink)) },
  '/magiclink': { POST: limited(policies.mail, captchaChecked(sendSignInLink)) },
  '/resend': { POST: limited(policies.mail, captchaChecked(resend)) },
  '/reauthenticate': { GET: limited(policies.mail, signedIn(reauthenticate)) },
  '/verify': {
    GET: limited(policies.verify, showMailedLink),
    POST: limited(policies.verify, verify),
  },
  '/user': {
    GET: signedIn(getUser, { apps: true }),
    PUT: limited(policies.change, signedIn(changeUser)),
    DELETE: limited(policies.change, signedIn(deleteOwnAccount)),
  },
  ...accountRoutes,
  ...adminRoutes,
  '/user/identities/authorize': { GET: limited(policies.provider, signedIn(authorizeLinking)) },
  '/user/identities/:identity': { DELETE: limited(policies.change, signedIn(unlinkIdentity)) },
  '/authorize': { GET: limited(policies.provider, authorize) },
  '/callback': {
    GET: limited(policies.provider, comeBack),
    POST: limited(policies.provider, comeBackByForm),
  },
  '/factors': { POST: limited(policies.factor, signedIn(enrollFactor)) },
  '/factors/:factor': { DELETE: limited(policies.factor, signedIn(unenrollFactor)) },
  '/factors/:factor/challenge': { POST: limited(policies.factor, signedIn(challengeFactor)) },
  '/factors/:factor/verify': { POST: limited(policies.factor, signedIn(verifyFactor)) },
  ...oauthRoutes,
  '/logout': { POST: signedIn(logOut) },
  '/settings': { GET: getSettings },
  '/health': { GET: getHealth },
  '/.well-known/jwks.json': { GET: getJwks },
}

/** Calls that read forms, and judge for themselves who may send one. */
const formPaths = new Set([
  '/verify',
  '/callback',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/userinfo',
])

const prefix = '/auth/v1'

/**
 * Opens door 1: the auth protocol under /auth/v1, as official clients speak it. A person's mistake is answered with the
 * protocol's 4xx (errors.ts), a lost database with 503; only the unexpected is thrown.
 */
export function createAuthDoor(context: Context): Door {
  const attempts = createAttemptGuard({
    enabled: context.config.rateLimits,
    budgets: context.budgets,
    secretBox: context.secretBox,
    homesOf: (email) => homesOf(context.database, email),
  })
  return async (request, caller) => {
    try {
      const url = new URL(request.url)
      const { path, methods, params } = routeAt(url.pathname)
      const handler = methods[request.method === 'HEAD' ? 'GET' : request.method]
      if (!handler) return notAllowed(request, caller, Object.keys(methods))
      if (!formPaths.has(path)) refuseForms(request)
      return await handler({ request, url, params, caller, context, attempts })
    } catch (error) {
      return refused(asAuthError(error), request, caller)
    }
  }
}

/** A segment `:name` of a route stands for any one segment, and gives it that name. */
const patterns = Object.entries(routes).map(([path, methods]) => ({
  path,
  segments: path.split('/'),
  methods,
}))

interface Match {
  path: string
  methods: Record<string, Handler>
  params: Record<string, string>
}

function routeAt(pathname: string): Match {
  const wanted = pathname.slice(prefix.length).split('/')
  for (const { path, segments, methods } of patterns) {
    const params = paramsOf(segments, wanted)
    if (params) return { path, methods, params }
  }
  throw authErrors.notFound()
}

function paramsOf(segments: string[], wanted: string[]): Record<string, string> | undefined {
  if (segments.length !== wanted.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const value = wanted[index] ?? ''
    if (segment.startsWith(':')) params[segment.slice(1)] = value
    else if (segment !== value) return undefined
  }
  return params
}

/** What a form of a foreign page can send is refused by calls without a body too. @throws {AuthError} 415 */
function refuseForms({ method, headers }: Request): void {
  const type = headers.get('content-type')
  if (type !== null && !isJson(type) && method !== 'GET' && method !== 'HEAD')
    throw authErrors.notJson()
}

function notAllowed(request: Request, caller: Caller, allowed: string[]): Response {
  const response = refused(authErrors.methodNotAllowed(), request, caller)
  response.headers.set('Allow', allowed.join(', '))
  return response
}

function refused(error: AuthError, request: Request, caller: Caller): Response {
  caller.log.info({ status: error.status, code: error.code }, 'auth call refused')
  return errorResponse(error, request)
}

/** Known troubles in the words of the protocol. @throws what is no known trouble */
function asAuthError(error: unknown): AuthError {
  if (error instanceof AuthError) return error
  if (error instanceof HasherBusyError) return authErrors.tooManyRequests(2)
  if (error instanceof SessionEndedError) return authErrors.sessionNotFound()
  if (error instanceof DatabaseUnavailableError) return authErrors.databaseUnavailable()
  if (isContention(error)) return authErrors.conflict()
  throw error
}

/** A lock was not had within the statement's time, or a deadlock was broken: a crowd on one account or session. */
function isContention(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === '57014' || error.code === '40P01' || error.code === '55P03')
  )
}
