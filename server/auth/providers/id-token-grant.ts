import * as z from 'zod'
import { audit, type AuthCall, readBody, type SignedInCall } from '../call.ts'
import { AuthError, OAuthError } from '../auth-error.ts'
import { authErrors } from '../errors.ts'
import { requireAal2IfEnrolled } from '../factors/aal.ts'
import { insertSession, lockSession, rotate, type Session, sessionResponse } from '../sessions.ts'
import { signedIn } from '../signed-in.ts'
import { arrive } from './account.ts'
import type { ProviderIdentity } from './claims.ts'
import { IdTokenError, type Provider, ProviderError } from './provider.ts'
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

/** POST /token?grant_type=id_token: signs in, or links, by an id_token that the client got from a provider itself. */
export async function signInWithIdToken(call: AuthCall): Promise<Response> {
  const input = await readInput(call)
  if (!input.id_token) throw new OAuthError(400, 'invalid_request', 'id_token required')
  if (!input.provider && !(input.client_id && input.issuer))
    throw new OAuthError(400, 'invalid_request', 'provider or client_id and issuer required')
  const provider = providerOf(call, input)
  return input.link_identity
    ? signedIn((mine) => linkByIdToken(mine, provider, input))(call)
    : signInBy(call, provider, input)
}

/** @throws {OAuthError} in the words of this grant, also for a body that is none */
async function readInput(call: AuthCall): Promise<Input> {
  try {
    return await readBody(call, body)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    throw new OAuthError(error.status, 'invalid_request', error.message)
  }
}

async function signInBy(call: AuthCall, provider: Provider, input: Input): Promise<Response> {
  const identity = await readIdentity(call, provider, input)
  const { user, decision, result } = await arrive(
    call,
    { provider: provider.settings, identity, linkTo: undefined },
    (db, person) => insertSession(db, call, person.id, 'oauth'),
  )
  audit(call, decision === 'create' ? 'sign-up' : 'sign-in', {
    user_id: user.id,
    session_id: result.id,
    provider: provider.settings.id,
  })
  return sessionResponse(call, result, user)
}

/** Goes on with the session of the bearer, which keeps its level. */
async function linkByIdToken(
  call: SignedInCall,
  provider: Provider,
  input: Input,
): Promise<Response> {
  if (!call.context.config.auth.manualLinking) throw authErrors.manualLinkingDisabled()
  requireAal2IfEnrolled(call)
  const identity = await readIdentity(call, provider, input)
  const { user, result } = await arrive(
    call,
    { provider: provider.settings, identity, linkTo: call.user.id },
    async (db): Promise<Session> => {
      const session = await lockSession(db, call.session.id)
      if (!session) throw authErrors.sessionNotFound()
      return rotate(db, session)
    },
  )
  audit(call, 'identity linked', { user_id: user.id, provider: provider.settings.id })
  return sessionResponse(call, result, user)
}

/** By its name, or by the issuer and one of the client ids of its tokens. */
function providerOf({ context }: AuthCall, input: Input): Provider {
  const provider = input.provider
    ? context.providers.get(input.provider)
    : [...context.providers.values()].find(
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
  provider: Provider,
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
    if (!(error instanceof IdTokenError || error instanceof ProviderError)) throw error
    audit(call, 'provider sign-in failed', { provider: provider.settings.id, why: error.message })
    if (error instanceof IdTokenError) throw new OAuthError(400, 'invalid_request', error.message)
    throw new OAuthError(
      400,
      error.reason === 'unavailable' ? 'temporarily_unavailable' : 'invalid_request',
      failureWords(error.reason, provider.settings.name),
    )
  }
}
