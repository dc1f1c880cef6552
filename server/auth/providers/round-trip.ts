import { randomBytes } from 'node:crypto'
import { parse } from 'hono/utils/cookie'
import { routes } from '#domain/routes.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { type AuthCall, readFormFields, transaction } from '../call.ts'
import { AuthError, authErrors, SignInProviderError } from '../errors.ts'
import {
  type Flow,
  grantSignIn,
  insertFlow,
  readChallenge,
  redirectSignedIn,
  takeFlow,
} from '../flow-states.ts'
import type { SignedInCall } from '../guards.ts'
import { recordEvent } from '../record-event.ts'
import { allowedRedirect, redirectFailed, redirectWith } from '../redirects.ts'
import { claimsOf } from './claimed-role.ts'
import { completeProviderSignIn, completionEvents } from './linking.ts'
import type { SignInProvider } from './provider.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { ifError } from '../../primitives/caught-error.ts'
import { ifDefined } from '../../primitives/if-defined.ts'

/** Parameters that a client cannot pass on to the provider, because the server sets them. */
const reserved = new Set(
  `provider redirect_to scopes scope code_challenge code_challenge_method skip_http_redirect client_id client_secret
  client_assertion client_assertion_type redirect_uri response_type response_mode state nonce request request_uri
  code code_verifier grant_type invite_token apikey`.split(/\s+/),
)

/** GET /authorize: sends the browser to a provider, to sign in with the account there. */
export async function authorize(call: AuthCall): Promise<Response> {
  return leave(call, {})
}

/** GET /user/identities/authorize: like GET /authorize, to link the account there to one's own. */
export async function authorizeLinking(call: SignedInCall): Promise<Response> {
  return leave(call, { linking_user_id: call.user.id, session_id: call.session.id })
}

async function leave(
  call: AuthCall,
  linking: { linking_user_id?: string; session_id?: string },
): Promise<Response> {
  const query = call.url.searchParams
  const { config, providers } = call.deps
  const provider = orThrow(providers.get(query.get('provider') ?? ''), authErrors.providerUnknown)
  const challenge = readChallenge(query.get('code_challenge'), query.get('code_challenge_method'))
  const redirectTo = allowedRedirect(config, query.get('redirect_to'))
  const scopes = (query.get('scopes') ?? '').slice(0, 1_000)
  const wantsJson = query.get('skip_http_redirect') === 'true'

  const browser = markBrowser(call)
  const [verifier, nonce] = [secret(), secret()]
  const { id } = await transaction(call, (db) =>
    insertFlow(db, {
      provider: provider.settings.id,
      redirect_to: redirectTo,
      ...challenge,
      provider_verifier: verifier,
      nonce,
      browser_hash: browser.hash,
      ...linking,
    }),
  )
  try {
    const trip = { callbackUrl: callbackUrl(call), state: id, verifier, nonce }
    // A browser that was sent to a provider that is down would be stuck there. With passwords it can go back to another way in.
    const mayBeStuck = query.get('prompt') === 'none' || !config.auth.passwords
    if (mayBeStuck && !(await provider.isReachable()))
      throw new SignInProviderError('unavailable', provider.settings, 'not reachable')
    const url = await provider.leave(trip, { scopes, params: handedOn(query) })
    const headers = { 'Set-Cookie': browser.cookie }
    return wantsJson
      ? Response.json({ url: url.href }, { headers })
      : new Response(null, { status: 302, headers: { ...headers, Location: url.href } })
  } catch (error) {
    if (!(error instanceof SignInProviderError)) throw error
    // The provider's metadata could not be fetched.
    const facts = { provider: provider.settings.id, why: error.why, err: error.cause }
    call.info.log.warn(facts, 'provider not reached')
    if (wantsJson) throw error
    return redirectFailed(redirectTo, error)
  }
}

/** Where every provider redirects to: the operator registers it there. */
function callbackUrl({ deps: { config } }: AuthCall): string {
  return `${config.publicUrl}/auth/v1/callback`
}

/** For example `prompt`, `login_hint` or `hd`. */
function handedOn(query: URLSearchParams): Record<string, string> {
  const more = [...query].filter(([name, value]) => !reserved.has(name) && value.length <= 500)
  return {
    ...Object.fromEntries(more.slice(0, 20)),
    // Apple requires it. The callback cannot read other modes.
    ...(query.get('response_mode') === 'form_post' && { response_mode: 'form_post' }),
  }
}

function secret(): string {
  return randomBytes(32).toString('base64url')
}

/** A little longer than a sign-in may take. */
const lifetimeSeconds = 600
const markFormat = /^[A-Za-z0-9_-]{43}$/

/**
 * Marks the browser that leaves for a provider, so that only it can come back. Otherwise a stranger could make a victim finish
 * the stranger's sign-in, and the victim would be signed in as, or linked to, the stranger. Several tabs share one mark.
 *
 * @returns the hash to store, and the cookie to send
 */
function markBrowser(call: AuthCall): { hash: string; cookie: string } {
  const mark = markIn(call) ?? secret()
  const { name, path, secure } = cookieFor(call)
  const rules = `Path=${path}; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Lax${secure}`
  return { hash: sha256Hex(mark), cookie: `${name}=${mark}; ${rules}` }
}

/** The hash of the mark that came with the request. */
function browserHash(call: AuthCall): string | undefined {
  const mark = markIn(call)
  return ifDefined(mark, sha256Hex)
}

/** Over https the `__Host-` prefix makes browsers accept the cookie from this host only. */
function cookieFor(call: AuthCall): { name: string; path: string; secure: string } {
  return call.deps.config.publicUrl.startsWith('https:')
    ? { name: '__Host-hoplet-flow', path: '/', secure: '; Secure' }
    : { name: 'hoplet-flow', path: '/auth/v1', secure: '' }
}

function markIn(call: AuthCall): string | undefined {
  const { name } = cookieFor(call)
  const mark = parse(call.request.headers.get('cookie') ?? '', name)[name]
  return mark !== undefined && markFormat.test(mark) ? mark : undefined
}

/** The parameters that providers send back (RFC 6749, RFC 9207). */
const answerFields = new Set(['code', 'state', 'error', 'error_description', 'iss'])

/** GET /callback: a person comes back from a provider, and is always redirected to a page. */
export async function comeBack(call: AuthCall): Promise<Response> {
  const start = `${call.deps.config.publicUrl}${routes.auth.path}`
  const flow = await takeBack(call)
  const provider = flow && call.deps.providers.get(flow.provider)
  if (!flow || !provider) return redirectFailed(start, authErrors.flowLost())
  const refuse = (error: AuthError) => {
    const facts = { provider: flow.provider, reason: error.code }
    if (error instanceof SignInProviderError) {
      const { reason, why } = error
      recordEvent(call, 'provider sign-in failed', { ...facts, reason, why })
    } else recordEvent(call, 'provider sign-in refused', facts)
    return redirectFailed(flow.redirect_to, error)
  }
  return finish(call, flow, provider).catch(ifError(AuthError, refuse))
}

/**
 * POST /callback, for providers that answer with a form (`response_mode=form_post`). The form of another site comes without
 * our cookie, so the browser is redirected to GET.
 */
export async function comeBackByForm(call: AuthCall): Promise<Response> {
  const form = await readFormFields(call)
  const query = Object.fromEntries([...form].filter(([name]) => answerFields.has(name)))
  return redirectWith(callbackUrl(call), { query })
}

/** Consumes the flow of the returned state; undefined unless it belongs to this browser and is still valid. */
async function takeBack(call: AuthCall): Promise<Flow | undefined> {
  const state = call.url.searchParams.get('state') ?? ''
  const browser = browserHash(call)
  if (!isUuid(state) || browser === undefined) return undefined
  return transaction(call, (db) => takeFlow(db, state, browser))
}

async function finish(call: AuthCall, flow: Flow, provider: SignInProvider): Promise<Response> {
  if (flow.linking_user_id !== null && !flow.is_linking_allowed) throw authErrors.sessionNotFound()
  const identity = await provider.identify(
    {
      callbackUrl: callbackUrl(call),
      state: flow.id,
      verifier: flow.provider_verifier ?? '',
      nonce: flow.nonce ?? '',
    },
    call.url.searchParams,
  )
  const arrived = await completeProviderSignIn(
    call,
    { provider: provider.settings, identity, linkTo: flow.linking_user_id ?? undefined },
    (db, user) => {
      const pkce = flow.code_challenge === null ? undefined : flow
      return grantSignIn(db, call, user.id, 'oauth', pkce, claimsOf(call, flow.provider))
    },
  )
  const { user, decision, result: grant } = arrived
  recordEvent(call, completionEvents[decision], {
    user_id: user.id,
    provider: flow.provider,
    session_id: grant.session?.id,
  })
  return redirectSignedIn(call, flow.redirect_to, { user, grant })
}
