import * as z from 'zod'
import { parseScopes } from '#domain/access/oauth-scopes.ts'
import { limitKey } from '../http/client-address.ts'
import type { Transaction } from '../postgres/database.ts'
import { type AuthCall, readBody, transaction } from './call.ts'
import { optionalText } from './credentials.ts'
import { authErrors } from './errors.ts'
import { countRequest, refuseExcess } from './guards.ts'
import { policies } from './limits.ts'
import { recordEvent } from './record-event.ts'
import { decodeRefreshToken, isGenuine, type RefreshToken } from './refresh-token.ts'
import { endSessions, lockSession, rotate, type Session, sessionResponse } from './sessions.ts'
import { checkSameResource } from './oauth/resources.ts'
import { findUser, type User } from './users.ts'

export const refreshGrantBody = z.object({ refresh_token: optionalText })

type RefreshOutcome =
  | { kind: 'current'; user: User; session: Session }
  | { kind: 'reused'; user_id: string; session_id: string }
  /** `too much`: an app requests a scope that it was not granted. */
  | { kind: 'unknown' | 'banned' | 'too much' }
  /** The claims of the session are due: the person signs in again, unless the provider is down. */
  | { kind: 'due'; session: Session }

/** An app that refreshes its own session, with all of its scope or less. */
interface App {
  clientId: string
  scope: string | undefined
  /** Requested resource of the token. */
  resource: string | undefined
}

/**
 * POST /token?grant_type=refresh_token: the next access token, and the session's next refresh token. A genuine token counts
 * against its session, any other against the address, like other grants.
 */
export async function refreshSession(call: AuthCall): Promise<Response> {
  const outcome = await redeemRefreshToken(call, await tokenIn(call))
  if (outcome.kind === 'current') return sessionResponse(call, outcome.session, outcome.user)
  if (outcome.kind === 'reused') throw authErrors.refreshTokenUsed()
  if (outcome.kind === 'due') throw authErrors.sessionExpired()
  if (outcome.kind === 'banned') throw authErrors.userBannedAtToken()
  call.deps.rateLimits.take(policies.forgedRefresh, limitKey(call.info.address))
  await countRequest(call, 'token')
  throw authErrors.refreshTokenNotFound()
}

/** @throws {AuthError} for tokens refused without a database query; they count against the address */
async function tokenIn(call: AuthCall): Promise<RefreshToken> {
  try {
    const { refresh_token: given } = await readBody(call, refreshGrantBody)
    if (!given) throw authErrors.invalid('refresh_token is required')
    const token = decodeRefreshToken(given)
    const mayBeGenuine = call.deps.rateLimits.peek(
      policies.forgedRefresh,
      limitKey(call.info.address),
    )
    if (token && mayBeGenuine) return token
    throw authErrors.refreshTokenNotFound()
  } catch (error) {
    await countRequest(call, 'token')
    throw error
  }
}

/**
 * Redeems a refresh token. It works for its holder only: the person's own client, or the app.
 *
 * @throws {AuthError} 429 when the session refreshes too often
 */
export async function redeemRefreshToken(
  call: AuthCall,
  token: RefreshToken,
  app?: App,
): Promise<RefreshOutcome> {
  const first = await transaction(call, (db) => refresh(db, call, token, app))
  const outcome = first.kind === 'due' ? await refreshDue(call, token, first.session) : first
  if (outcome.kind !== 'reused') return outcome
  const { user_id, session_id } = outcome
  const facts = { user_id, session_id, client_id: app?.clientId }
  recordEvent(call, 'refresh token reused, session ended', facts)
  return outcome
}

/**
 * A session with claims that are due ends when its provider can be asked for new ones. Otherwise it goes on, without rights from claims,
 * for a day (auth.session_status).
 */
async function refreshDue(
  call: AuthCall,
  token: RefreshToken,
  session: Session,
): Promise<RefreshOutcome> {
  const provider = call.deps.providers.get(session.claim_provider ?? '')
  const canSignIn = (await provider?.isReachable()) === true
  return transaction(call, async (db) => {
    if (!canSignIn) return refresh(db, call, token, undefined, true)
    await endSessions(db, { user: session.user_id, only: session.id })
    return { kind: 'due', session }
  })
}

/** The outcome is a value and not an error, because ending a session must be committed. */
async function refresh(
  db: Transaction,
  call: AuthCall,
  token: RefreshToken,
  app: App | undefined,
  mayBeDue = false,
): Promise<RefreshOutcome> {
  const session = await lockSession(db, token.sessionId)
  if (!session || !isGenuine(token, session.refresh_key)) return { kind: 'unknown' }
  if (!mayBeDue) refuseExcess(call.deps.rateLimits.take(policies.refresh, session.id))
  if (session.oauth_client_id !== (app?.clientId ?? null)) return { kind: 'unknown' }
  const user = await findUser(db, session.user_id)
  if (!user) return { kind: 'unknown' }
  if (user.is_banned) return { kind: 'banned' }
  // Also of a session that has ended by them: its client may go to the provider without asking.
  if (session.are_claims_due && !mayBeDue) return { kind: 'due', session }
  if (!session.is_live) return { kind: 'unknown' }
  if (app?.scope !== undefined && !isWithin(app.scope, session.scope ?? ''))
    return { kind: 'too much' }
  if (app) checkSameResource(app.resource, session, call.deps.config.publicUrl)
  const isLate = app !== undefined && session.refreshed_at.getTime() < Date.now() - appGraceMs
  switch (judge(token.counter, BigInt(session.refresh_counter), isLate)) {
    case 'rotate':
      return { kind: 'current', user, session: await rotate(db, session) }
    case 'repeat':
      return { kind: 'current', user, session }
    case 'reuse':
      await endSessions(db, { user: user.id, only: session.id })
      return { kind: 'reused', user_id: user.id, session_id: session.id }
    case 'never':
      return { kind: 'unknown' }
  }
}

/**
 * Meaning of a genuine token with this counter. One behind is a tab that refreshed at the same moment, or a client that lost
 * the response: it gets the current token again. Two or more behind is a stolen copy: the session ends.
 *
 * GoTrue also forgives older tokens for 10 s after a rotation. Here honest tabs are never two behind, and a
 * replayed token ends the session at once.
 *
 * @param isLate the holder had enough time to use the current token: then one behind is a copy as well
 */
function judge(
  presented: bigint,
  current: bigint,
  isLate: boolean,
): 'rotate' | 'repeat' | 'reuse' | 'never' {
  if (presented === current) return 'rotate'
  if (presented > current) return 'never'
  return presented === current - 1n && !isLate ? 'repeat' : 'reuse'
}

/** How long an app that lost a response may retry. Apps have no tabs that refresh at once. */
const appGraceMs = 30_000

/** Whether a scope has something in it, and nothing that is not granted. */
export function isWithin(wanted: string, granted: string): boolean {
  const { known, unknown } = parseScopes(wanted)
  const allowed = parseScopes(granted).known
  return unknown.length === 0 && known.length > 0 && known.every((scope) => allowed.includes(scope))
}
