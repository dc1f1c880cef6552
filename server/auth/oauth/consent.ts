import * as z from 'zod'
import type { Transaction } from '../../postgres/database.ts'
import { readBody, transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { isAllowedOrigin } from '../redirects.ts'
import {
  approve,
  type AppAuthorization,
  claimAuthorization,
  deny,
  lockOwnAuthorization,
  releaseAuthorization,
} from './authorizations.ts'
import { findClient, isId, presentClientToPeople } from './clients.ts'
import { grant, isCovered } from './consents.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import { withAnswer } from './redirect-uris.ts'

const body = z.object({ action: z.enum(['approve', 'deny']) })

/**
 * GET /oauth/authorizations/{id}: what an app asks this person for; or, when they have allowed all of it before, where
 * to go on. The first reader owns it; others get 404.
 */
export async function readAuthorization(call: SignedInCall): Promise<Response> {
  checkOrigin(call)
  const answer = await transaction(call, async (db) => {
    const found = await claimAuthorization(db, idOf(call), call.user.id)
    const client = found && (await findClient(db, found.client_id))
    if (!client) throw authErrors.authorizationNotFound()
    if (!found.asks_anew && (await isCovered(db, call.user.id, client.id, found.scope))) {
      return { redirect_url: await approved(db, call, found), found }
    }
    return {
      authorization_id: found.id,
      redirect_uri: found.redirect_uri,
      client: presentClientToPeople(client),
      user: { id: call.user.id, email: call.user.email ?? '' },
      scope: found.scope,
    }
  })
  if (!('found' in answer)) return answerWith(answer)
  recordEvent(call, 'app allowed', factsOf(call, answer.found))
  return answerWith({ redirect_url: answer.redirect_url })
}

/** POST /oauth/authorizations/{id}/consent: what the person decided, and where to go on. */
export async function decideAuthorization(call: SignedInCall): Promise<Response> {
  checkOrigin(call)
  const { action } = await readBody(call, body)
  const { url, found } = await transaction(call, async (db) => {
    const found = await lockOwnAuthorization(db, idOf(call), call.user.id)
    if (!found) throw authErrors.authorizationNotFound()
    if (action === 'approve') {
      await grant(db, call.user.id, found.client_id, found.scope)
      return { url: await approved(db, call, found), found }
    }
    await deny(db, found.id)
    const url = withAnswer(found.redirect_uri, {
      error: 'access_denied',
      error_description: 'The person denied the request',
      state: found.state,
      iss: issuerOf(call.deps.config),
    })
    return { url, found }
  })
  recordEvent(call, action === 'approve' ? 'app allowed' : 'app refused', factsOf(call, found))
  return answerWith({ redirect_url: url })
}

/**
 * POST /oauth/authorizations/{id}/release: the person leaves the request to another of their accounts; the next reader owns
 * it. Not part of the protocol.
 */
export async function giveUpAuthorization(call: SignedInCall): Promise<Response> {
  checkOrigin(call)
  const id = idOf(call)
  const isReleased = await transaction(call, (db) => releaseAuthorization(db, id, call.user.id))
  if (!isReleased) throw authErrors.authorizationNotFound()
  return new Response(null, { status: 204 })
}

/** GoTrue lets pages of other origins neither read a request nor answer it, whatever token they have. */
function checkOrigin({ deps, request }: SignedInCall): void {
  if (!isAllowedOrigin(deps.config, request.headers.get('origin'))) throw authErrors.foreignOrigin()
}

function answerWith(body: Record<string, unknown>): Response {
  return Response.json(body, { headers: { 'Cache-Control': 'no-store' } })
}

function factsOf({ user }: SignedInCall, { client_id, scope }: AppAuthorization) {
  return { user_id: user.id, client_id, scope }
}

/** @returns the app's address with the code, and with `iss`, by which it knows whose code that is (RFC 9207) */
async function approved(
  db: Transaction,
  call: SignedInCall,
  { id, redirect_uri, state }: AppAuthorization,
): Promise<string> {
  const code = await approve(db, id, signedInAt(call))
  return withAnswer(redirect_uri, { code, state, iss: issuerOf(call.deps.config) })
}

/** When the person last showed who they are. */
function signedInAt({ session }: SignedInCall): Date {
  const shown = session.amr.map(({ timestamp }) => timestamp)
  return shown.length > 0 ? new Date(Math.max(...shown) * 1000) : session.created_at
}

function idOf({ params }: SignedInCall): string {
  const id = params['authorization']
  if (!isId(id)) throw authErrors.authorizationNotFound()
  return id
}
