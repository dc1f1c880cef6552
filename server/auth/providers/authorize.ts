import { randomBytes } from 'node:crypto'
import { type AuthCall, transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { authErrors } from '../errors.ts'
import { insertFlow, readChallenge } from '../flow-states.ts'
import { allowedRedirect } from '../redirects.ts'
import { markBrowser } from './browser-mark.ts'
import { type SignInProvider, SignInProviderError } from './provider.ts'
import { failedAt, failureWords } from './provider-answers.ts'

/** Parameters that a client cannot pass on to the provider, because the server sets them. */
const reserved = new Set(
  `provider redirect_to scopes scope code_challenge code_challenge_method skip_http_redirect client_id client_secret
  client_assertion client_assertion_type redirect_uri response_type response_mode state nonce request request_uri
  code code_verifier grant_type invite_token apikey`.split(/\s+/),
)

/** GET /authorize: sends the browser to a provider, to sign in with the account there. */
export async function authorize(call: AuthCall): Promise<Response> {
  return leave(call, undefined)
}

/** GET /user/identities/authorize: like GET /authorize, to link the account there to one's own. */
export async function authorizeLinking(call: SignedInCall): Promise<Response> {
  if (!call.deps.config.auth.manualLinking) throw authErrors.manualLinkingDisabled()
  return leave(call, { userId: call.user.id, sessionId: call.session.id })
}

async function leave(
  call: AuthCall,
  linking: { userId: string; sessionId: string } | undefined,
): Promise<Response> {
  const query = call.url.searchParams
  const { config, providers } = call.deps
  const provider = providers.get(query.get('provider') ?? '')
  if (!provider) throw authErrors.providerUnknown()
  const challenge = readChallenge(query.get('code_challenge'), query.get('code_challenge_method'))
  const redirectTo = allowedRedirect(config, query.get('redirect_to'))
  const wantsJson = query.get('skip_http_redirect') === 'true'

  const browser = markBrowser(call)
  const [verifier, nonce] = [secret(), secret()]
  const { id } = await transaction(call, (db) =>
    insertFlow(db, {
      provider: provider.settings.id,
      redirectTo,
      challenge,
      providerVerifier: verifier,
      nonce,
      browserHash: browser.hash,
      linking,
    }),
  )
  try {
    const trip = { callbackUrl: callbackUrl(call), state: id, verifier, nonce }
    const url = await provider.leave(trip, { scopes: scopesIn(query), params: handedOn(query) })
    const headers = { 'Set-Cookie': browser.cookie, 'Cache-Control': 'no-store' }
    return wantsJson
      ? Response.json({ url: url.href }, { headers })
      : new Response(null, { status: 302, headers: { ...headers, Location: url.href } })
  } catch (error) {
    if (!(error instanceof SignInProviderError)) throw error
    return notReached(call, provider, error, wantsJson ? undefined : redirectTo)
  }
}

/** The provider's metadata could not be fetched. */
function notReached(
  call: AuthCall,
  provider: SignInProvider,
  error: SignInProviderError,
  redirectTo: string | undefined,
): Response {
  call.info.log.warn(
    { provider: provider.settings.id, why: error.message, err: error.cause },
    'provider not reached',
  )
  if (redirectTo === undefined)
    throw authErrors.providerFailed(failureWords(error.reason, provider.settings.name))
  return failedAt(redirectTo, provider.settings.name, error)
}

/** Where every provider redirects to: the operator registers it there. */
export function callbackUrl({ deps: { config } }: AuthCall): string {
  return `${config.publicUrl}/auth/v1/callback`
}

function scopesIn(query: URLSearchParams): string {
  return (query.get('scopes') ?? '').slice(0, 1_000)
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
