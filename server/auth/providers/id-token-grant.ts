import * as z from 'zod'
import { type AuthCall, readBody } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { AuthError, OAuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { requireAal2IfEnrolled } from '../factors/aal.ts'
import { insertSession, lockSession, rotate, type Session, sessionResponse } from '../sessions.ts'
import { signedIn } from '../signed-in.ts'
import { completeProviderSignIn } from './sign-in-completion.ts'
import type { ProviderIdentity } from './provider.ts'
import { IdTokenError, type SignInProvider, SignInProviderError } from './provider.ts'
import { failureWords } from './provider-answers.ts'

const body = z.object({
  provider: z.string().nullish(),
  client_id: z.string().nullish(),
  issuer: z.string().nullish(),
  id_token: z.string().max(16_384).nullish(),
  access_token: z.string().max(16_384).nullish(),
  nonce: z.string().max(1_024).nullish(),
  link_identity: z.boolean().nullish(),
})
type Input = z.output<typeof body>

/** POST /token?grant_type=id_token: signs in, or links an identity, with an id_token that the client got from a provider. */
export async function signInWithIdToken(call: AuthCall): Promise<Response> {
  const input = await readInput(call)
  if (!input.id_token) throw new OAuthError(400, 'invalid_request', 'id_token required')
  if (!input.provider && !(input.client_id && input.issuer))
    throw new OAuthError(400, 'invalid_request', 'provider or client_id and issuer required')
  const provider = providerOf(call, input)
  return input.link_identity
    ? linkByIdToken({ ...call, ...(await signedIn(call)) }, provider, input)
    : signInBy(call, provider, input)
}

/** @throws {OAuthError} in the format of this grant, for every fault of the body */
async function readInput(call: AuthCall): Promise<Input> {
  try {
    return await readBody(call, body)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw new OAuthError(error.status, 'invalid_request', error.message)
  }
}

async function signInBy(call: AuthCall, provider: SignInProvider, input: Input): Promise<Response> {
  const identity = await readIdentity(call, provider, input)
  const { user, decision, result } = await completeProviderSignIn(
    call,
    { provider: provider.settings, identity, linkTo: undefined },
    (db, person) => insertSession(db, call, person.id, 'oauth'),
  )
  recordEvent(call, decision === 'create' ? 'sign-up' : 'sign-in', {
    user_id: user.id,
    session_id: result.id,
    provider: provider.settings.id,
  })
  return sessionResponse(call, result, user)
}

/** Continues the bearer's session, which keeps its aal. */
async function linkByIdToken(
  call: SignedInCall,
  provider: SignInProvider,
  input: Input,
): Promise<Response> {
  if (!call.deps.config.auth.manualLinking) throw authErrors.manualLinkingDisabled()
  requireAal2IfEnrolled(call)
  const identity = await readIdentity(call, provider, input)
  const { user, result } = await completeProviderSignIn(
    call,
    { provider: provider.settings, identity, linkTo: call.user.id },
    async (db): Promise<Session> => {
      const session = await lockSession(db, call.session.id)
      if (!session) throw authErrors.sessionNotFound()
      return rotate(db, session)
    },
  )
  recordEvent(call, 'identity linked', { user_id: user.id, provider: provider.settings.id })
  return sessionResponse(call, result, user)
}

/** By its name, or by the issuer and one of the client ids of its tokens. */
function providerOf({ deps }: AuthCall, input: Input): SignInProvider {
  const provider = input.provider
    ? deps.providers.get(input.provider)
    : [...deps.providers.values()].find(
        ({ settings }) =>
          settings.kind === 'openid' &&
          settings.issuer === input.issuer &&
          settings.clientIds.includes(input.client_id ?? ''),
      )
  if (!provider?.readIdToken)
    throw new OAuthError(400, 'invalid_request', 'The provider is not enabled, or has no id_tokens')
  return provider
}

async function readIdentity(
  call: AuthCall,
  provider: SignInProvider,
  input: Input,
): Promise<ProviderIdentity> {
  try {
    const identity = await provider.readIdToken?.({
      idToken: input.id_token ?? '',
      accessToken: input.access_token ?? undefined,
      nonce: input.nonce || undefined,
    })
    if (identity) return identity
    throw new IdTokenError('The provider has no id_tokens')
  } catch (error) {
    if (!(error instanceof IdTokenError || error instanceof SignInProviderError)) throw error
    recordEvent(call, 'provider sign-in failed', {
      provider: provider.settings.id,
      why: error.message,
    })
    if (error instanceof IdTokenError) throw new OAuthError(400, 'invalid_request', error.message)
    throw new OAuthError(
      400,
      error.reason === 'unavailable' ? 'temporarily_unavailable' : 'invalid_request',
      failureWords(error.reason, provider.settings.name),
    )
  }
}
