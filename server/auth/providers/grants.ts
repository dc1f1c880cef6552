import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { type AuthCall, readBody, transaction } from '../call.ts'
import { optionalText } from '../credentials.ts'
import { findById } from '../email-flows/one-time-tokens.ts'
import { recordEffects, type RedeemedToken, redeemToken } from '../email-flows/redeem.ts'
import { AuthError, authErrors, OAuthError, oauthErrors, SignInProviderError } from '../errors.ts'
import { answersChallenge, type IssuedCode, lockCode, spendCode } from '../flow-states.ts'
import {
  bothFactors,
  emailLogins,
  manualLinking,
  refuseBanned,
  signedIn,
  type SignedInCall,
} from '../guards.ts'
import { recordEvent } from '../record-event.ts'
import {
  type AuthenticationMethod,
  endSessions,
  insertSession,
  lockSession,
  rotate,
  type Session,
  sessionResponse,
} from '../sessions.ts'
import { findLockedUser, type User } from '../users.ts'
import { claimsOf } from './claimed-role.ts'
import { completeProviderSignIn, completionEvents } from './linking.ts'
import type { IdToken, ProviderIdentity, SignInProvider } from './provider.ts'
import { replaceError } from '../../primitives/caught-error.ts'
import { orThrow } from '../../primitives/or-throw.ts'

export const idTokenGrantBody = z.object({
  provider: optionalText,
  client_id: optionalText,
  issuer: optionalText,
  id_token: z.string().max(16_384).nullish(),
  access_token: z.string().max(16_384).nullish(),
  nonce: z.string().max(1_024).nullish(),
  link_identity: z.boolean().nullish(),
})
type Input = z.output<typeof idTokenGrantBody>
type IdTokenProvider = Required<Pick<SignInProvider, 'settings' | 'readIdToken'>>

/** POST /token?grant_type=id_token: signs in, or links an identity, with an id_token that the client got from a provider. */
export async function signInWithIdToken(call: AuthCall): Promise<Response> {
  // Every fault of the body is told in the format of this grant.
  const input = await readBody(call, idTokenGrantBody).catch(
    replaceError(
      AuthError,
      ({ status, message }) => new OAuthError(status, 'invalid_request', message),
    ),
  )
  if (!input.id_token) throw oauthErrors.invalidRequest('id_token required')
  if (!input.provider && !(input.client_id && input.issuer))
    throw oauthErrors.invalidRequest('provider or client_id and issuer required')
  const provider = providerOf(call, input)
  const linker = input.link_identity ? await readLinker(call) : undefined
  const read = await readIdentity(call, provider, { ...input, id_token: input.id_token })
  // A session that goes on did not come by the provider, so its claims change no role.
  const identity = linker ? { ...read, isAdmin: undefined, spaces: undefined } : read
  const { user, decision, result } = await completeProviderSignIn(
    call,
    { provider: provider.settings, identity, linkTo: linker?.user.id },
    (db, person) =>
      linker
        ? continueSession(db, linker.session.id)
        : insertSession(db, call, person.id, 'oauth', claimsOf(call, provider.settings.id)),
  )
  recordEvent(call, completionEvents[decision], {
    user_id: user.id,
    session_id: result.id,
    provider: provider.settings.id,
  })
  return sessionResponse(call, result, user)
}

/** The person who asks to link an identity to their own account. */
async function readLinker(call: AuthCall): Promise<SignedInCall> {
  const linker = { ...call, ...(await signedIn(call)) }
  await manualLinking(call)
  bothFactors(linker)
  return linker
}

/** The bearer's session goes on, and keeps its aal. */
async function continueSession(db: Transaction, id: string): Promise<Session> {
  const session = orThrow(await lockSession(db, id), authErrors.sessionNotFound)
  return rotate(db, session)
}

/** By its name, or by the issuer and one of the client ids of its tokens. */
function providerOf({ deps }: AuthCall, input: Input): IdTokenProvider {
  const provider = input.provider
    ? deps.providers.get(input.provider)
    : [...deps.providers.values()].find(
        ({ settings }) =>
          settings.kind === 'openid' &&
          settings.issuer === input.issuer &&
          settings.clientIds.includes(input.client_id ?? ''),
      )
  const { settings, readIdToken } = provider ?? {}
  if (!settings || !readIdToken)
    throw oauthErrors.invalidRequest('The provider is not enabled, or has no id_tokens')
  return { settings, readIdToken }
}

/** @throws {OAuthError} when the token is not good, or the provider's keys cannot be read */
function readIdentity(
  call: AuthCall,
  { settings, readIdToken }: IdTokenProvider,
  token: IdToken,
): Promise<ProviderIdentity> {
  const record = (why: string) =>
    recordEvent(call, 'provider sign-in failed', { provider: settings.id, why })
  return readIdToken(token).catch(
    replaceError(AuthError, (error) => {
      if (!(error instanceof SignInProviderError)) {
        record(error.message)
        return error
      }
      record(error.why)
      const code = error.reason === 'unavailable' ? 'temporarily_unavailable' : 'invalid_request'
      return new OAuthError(400, code, error.message)
    }),
  )
}

export const pkceGrantBody = z.object({ auth_code: optionalText, code_verifier: optionalText })

type ExchangeOutcome =
  | { kind: 'session'; user: User; session: Session; by: RedeemedToken | undefined }
  | { kind: 'used'; user_id: string; session_id: string | undefined }

/** POST /token?grant_type=pkce: exchanges the code of a redirect, with the verifier that only its client has, for a session. */
export async function exchangeCode(call: AuthCall): Promise<Response> {
  const { auth_code: code, code_verifier: verifier } = await readBody(call, pkceGrantBody)
  if (!code || !verifier)
    throw authErrors.invalid(
      'invalid request: both auth code and code verifier should be non-empty',
    )
  const outcome = await redeemCode(call, code, verifier)
  if (outcome.kind === 'used') {
    const { user_id, session_id } = outcome
    recordEvent(call, 'sign-in code used twice, session ended', { user_id, session_id })
    throw authErrors.codeUnknown()
  }
  const { user, session, by } = outcome
  if (by) recordEffects(call, by)
  recordEvent(call, 'sign-in', { user_id: user.id, session_id: session.id, by: by?.token.kind })
  return sessionResponse(call, session, user)
}

/** The outcome is a value and not an error, because ending a session must be committed. */
function redeemCode(call: AuthCall, code: string, verifier: string): Promise<ExchangeOutcome> {
  return transaction(call, async (db) => {
    const issued = orThrow(
      await lockCode<LinkCode>(db, 'flow_states', code),
      authErrors.codeUnknown,
    )
    const { user_id, session_id } = issued
    if (issued.exchanged_at) {
      // Two parties have the code, and the server cannot tell which one is honest (RFC 6749 4.1.2).
      if (session_id !== null) await endSessions(db, { user: user_id, only: session_id })
      return { kind: 'used', user_id, session_id: session_id ?? undefined }
    }
    if (issued.is_expired) throw authErrors.codeExpired()
    if (!answersChallenge(issued, verifier)) throw authErrors.badVerifier()
    // A code of an emailed link that was followed before passwords were switched off.
    if (issued.authentication_method !== 'oauth') await emailLogins(call)
    const by = await redeemLink(db, issued)
    const user = by?.user ?? (await findLockedUser(db, user_id))
    refuseBanned(user, authErrors.userBannedAtToken)
    const session = await insertSession(
      db,
      call,
      user.id,
      issued.authentication_method,
      claimsOf(call, issued.provider),
    )
    await spendCode(db, 'flow_states', issued, session)
    return { kind: 'session', user, session, by }
  })
}

interface LinkCode {
  /** The provider's name, or `email`. */
  provider: string
  authentication_method: AuthenticationMethod
  /** The emailed link that the exchange consumes. */
  one_time_token_id: string | null
}

/** @throws {AuthError} when the email was used in the meantime, or its link is void */
async function redeemLink(
  db: Transaction,
  { id, one_time_token_id: tokenId }: IssuedCode & LinkCode,
): Promise<RedeemedToken | undefined> {
  if (tokenId === null) return undefined
  // A link that clears the account must not delete the code with it: the reuse of the code must stay detectable.
  await db.query('update auth.flow_states set user_id = null where id = $1', [id])
  const token = await findById(db, tokenId)
  return orThrow(token && (await redeemToken(db, token)), authErrors.codeUnknown)
}
