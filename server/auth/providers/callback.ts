import { routes } from '#domain/routes.ts'
import { BodyError, BodyTooLargeError, readText } from '../../http/body.ts'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, transaction } from '../call.ts'
import { recordEvent } from '../record-event.ts'
import { AuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { findFlow, type Flow, issueAuthCode, takeFlow } from '../flow-states.ts'
import { redirectWith } from '../redirects.ts'
import { insertSession, type Session, sessionTokens } from '../sessions.ts'
import type { User } from '../users.ts'
import { completeProviderSignIn, type CompletedSignIn } from './sign-in-completion.ts'
import { callbackUrl } from './authorize.ts'
import { browserHash } from './browser-mark.ts'
import { type SignInProvider, SignInProviderError } from './provider.ts'
import { failedAt, refusedAt } from './provider-answers.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** The parameters that providers send back (RFC 6749, RFC 9207). */
const answerFields = ['code', 'state', 'error', 'error_description', 'iss']

/** GET /callback: a person comes back from a provider, and is always redirected to a page. */
export async function comeBack(call: AuthCall): Promise<Response> {
  const start = `${call.deps.config.publicUrl}${routes.auth.path}`
  const flow = await takeBack(call)
  const provider = flow && call.deps.providers.get(flow.provider)
  if (!flow || !provider) return refusedAt(start, authErrors.flowLost())
  try {
    return await finish(call, flow, provider)
  } catch (error) {
    if (error instanceof AuthError) {
      recordEvent(call, 'provider sign-in refused', { provider: flow.provider, reason: error.code })
      return refusedAt(flow.redirect_to, error)
    }
    if (!(error instanceof SignInProviderError)) throw error
    recordEvent(call, 'provider sign-in failed', {
      provider: flow.provider,
      reason: error.reason,
      why: error.message,
    })
    return failedAt(flow.redirect_to, provider.settings.name, error)
  }
}

/**
 * POST /callback, for providers that answer with a form (`response_mode=form_post`). The form of another site comes without
 * our cookie, so the browser is redirected to GET.
 */
export async function comeBackByForm(call: AuthCall): Promise<Response> {
  let form = new URLSearchParams()
  try {
    form = new URLSearchParams(await readText(call.request, 16 * 1_024))
  } catch (error) {
    if (!(error instanceof BodyError || error instanceof BodyTooLargeError)) throw error
  }
  const query = Object.fromEntries(
    answerFields.flatMap((name) => {
      const value = form.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  return redirectWith(callbackUrl(call), { query })
}

/** Consumes the flow of the returned state; undefined unless it belongs to this browser and is still valid. */
async function takeBack(call: AuthCall): Promise<Flow | undefined> {
  const state = call.url.searchParams.get('state') ?? ''
  const browser = browserHash(call)
  if (!uuid.test(state) || browser === undefined) return undefined
  return transaction(call, async (db) => {
    const flow = await findFlow(db, state)
    // Another browser does not consume it.
    if (!flow || flow.browser_hash !== browser) return undefined
    return (await takeFlow(db, flow.id)) ? flow : undefined
  })
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
    (db, user) => issue(db, call, flow, user),
  )
  note(call, flow, arrived)
  const { user, result } = arrived
  if (result.kind === 'code')
    return redirectWith(flow.redirect_to, { query: { code: result.code } }, 302)
  const { user: _shown, ...tokens } = await sessionTokens(call, result.session, user)
  const fragment = Object.fromEntries(
    Object.entries(tokens).map(([name, value]) => [name, String(value)]),
  )
  return redirectWith(flow.redirect_to, { fragment }, 302)
}

type Issued = { kind: 'code'; code: string } | { kind: 'session'; session: Session }

/** PKCE clients get a code; others get a session. */
async function issue(db: Transaction, call: AuthCall, flow: Flow, user: User): Promise<Issued> {
  return flow.code_challenge === null
    ? { kind: 'session', session: await insertSession(db, call, user.id, 'oauth') }
    : { kind: 'code', code: await issueAuthCode(db, flow, user.id, 'oauth') }
}

const eventOf = {
  'sign in': 'sign-in',
  link: 'identity linked',
  'take over': 'account taken over by who proved its address',
  create: 'sign-up',
} as const

function note(
  call: AuthCall,
  flow: Flow,
  { user, decision, result }: CompletedSignIn<Issued>,
): void {
  recordEvent(call, eventOf[decision], {
    user_id: user.id,
    provider: flow.provider,
    ...(result.kind === 'session' && { session_id: result.session.id }),
  })
}
