import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { parseScopes } from '#domain/oauth-scopes.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow } from '../../postgres/rows.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import { readBody, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { isAllowedOrigin } from '../redirects.ts'
import { isWithin } from '../refresh.ts'
import {
  type AppAuthorization,
  claimAuthorization,
  lockOwnAuthorization,
} from './authorizations.ts'
import { type Client, findClient, presentClientToPeople } from './clients.ts'
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
  if (!('found' in answer)) return Response.json(answer)
  recordOwnEvent(call, 'app allowed', factsOf(answer.found))
  return Response.json({ redirect_url: answer.redirect_url })
}

/** POST /oauth/authorizations/{id}/consent: what the person decided, and where to go on. */
export async function decideAuthorization(call: SignedInCall): Promise<Response> {
  checkOrigin(call)
  const { action } = await readBody(call, body)
  const { url, found } = await transaction(call, async (db) => {
    const found = await ownAuthorization(db, call)
    if (action === 'approve') {
      await grant(db, call.user.id, found.client_id, found.scope)
      return { url: await approved(db, call, found), found }
    }
    await db.query(`update auth.oauth_authorizations set status = 'denied' where id = $1`, [
      found.id,
    ])
    const url = withAnswer(found.redirect_uri, {
      error: 'access_denied',
      error_description: 'The person denied the request',
      state: found.state,
      iss: issuerOf(call.deps.config),
    })
    return { url, found }
  })
  recordOwnEvent(call, action === 'approve' ? 'app allowed' : 'app refused', factsOf(found))
  return Response.json({ redirect_url: url })
}

/**
 * POST /oauth/authorizations/{id}/release: the person leaves the request to another of their accounts; the next reader owns
 * it. Not part of the protocol.
 */
export async function giveUpAuthorization(call: SignedInCall): Promise<Response> {
  checkOrigin(call)
  await transaction(call, async (db) => {
    const { id } = await ownAuthorization(db, call)
    await db.query('update auth.oauth_authorizations set user_id = null where id = $1', [id])
  })
  return new Response(null, { status: 204 })
}

/** GoTrue lets pages of other origins neither read a request nor answer it, whatever token they have. */
function checkOrigin({ deps, request }: SignedInCall): void {
  if (!isAllowedOrigin(deps.config, request.headers.get('origin'))) throw authErrors.foreignOrigin()
}

function factsOf({ client_id, scope }: AppAuthorization) {
  return { client_id, scope }
}

async function ownAuthorization(db: Transaction, call: SignedInCall): Promise<AppAuthorization> {
  const found = await lockOwnAuthorization(db, idOf(call), call.user.id)
  if (!found) throw authErrors.authorizationNotFound()
  return found
}

/**
 * Issues the code for the app: valid once, for ten minutes. Only its hash is stored.
 *
 * @returns the app's address with the code, and with `iss`, by which it knows whose code that is (RFC 9207)
 */
async function approved(
  db: Transaction,
  call: SignedInCall,
  { id, redirect_uri, state }: AppAuthorization,
): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await db.query(
    `update auth.oauth_authorizations set status = 'approved', code_hash = $2, auth_time = $3,
        expires_at = now() + interval '10 minutes' where id = $1`,
    [id, sha256Hex(code), signedInAt(call)],
  )
  return withAnswer(redirect_uri, { code, state, iss: issuerOf(call.deps.config) })
}

/** When the person last showed who they are. */
function signedInAt({ session }: SignedInCall): Date {
  const shown = session.amr.map(({ timestamp }) => timestamp)
  return shown.length > 0 ? new Date(Math.max(...shown) * 1000) : session.created_at
}

function idOf({ params }: SignedInCall): string {
  const id = params['authorization']
  if (!isUuid(id)) throw authErrors.authorizationNotFound()
  return id
}

/** Whether what the person allowed before has all that is asked for now. */
async function isCovered(
  db: Transaction,
  userId: string,
  clientId: string,
  scope: string,
): Promise<boolean> {
  const granted = await firstRow<{ scope: string }>(
    db,
    'select scope from auth.oauth_consents where user_id = $1 and client_id = $2',
    [userId, clientId],
  )
  return granted !== undefined && isWithin(scope, granted.scope)
}

/** Adds to what was allowed before. */
async function grant(
  db: Transaction,
  userId: string,
  clientId: string,
  scope: string,
): Promise<void> {
  await db.query(
    `insert into auth.oauth_consents as c (user_id, client_id, scope) values ($1, $2, $3)
      on conflict (user_id, client_id) do update set granted_at = now(), scope = (
        select string_agg(distinct one, ' ') from unnest(string_to_array(c.scope || ' ' || excluded.scope, ' ')) as one)`,
    [userId, clientId, scope],
  )
}

type GrantedClient = Pick<Client, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>

/** GET /user/oauth/grants: the apps that may act for this person. */
export async function listGrants(call: SignedInCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query<GrantedClient & { scope: string; granted_at: Date }>(
      `select a.id, a.client_name, a.client_uri, a.logo_uri, c.scope, c.granted_at
        from auth.oauth_consents c join auth.oauth_clients a on a.id = c.client_id
        where c.user_id = $1 order by c.granted_at desc, c.client_id`,
      [call.user.id],
    ),
  )
  const grants = rows.map(({ scope, granted_at, ...client }) => ({
    client: presentClientToPeople(client),
    scopes: parseScopes(scope).known,
    granted_at,
  }))
  return Response.json(grants)
}

/**
 * DELETE /user/oauth/grants?client_id=: takes back what the person allowed; the app's tokens stop working at once. Its codes
 * go before its sessions: an exchange that runs at the same time holds its code, so its session is there to be ended or is
 * never made.
 */
export async function revokeGrant(call: SignedInCall): Promise<Response> {
  const clientId = call.url.searchParams.get('client_id')
  if (!isUuid(clientId)) throw authErrors.invalid('client_id must be an app’s id')
  const key = [call.user.id, clientId]
  await transaction(call, async (db) => {
    const { rowCount } = await db.query(
      'delete from auth.oauth_consents where user_id = $1 and client_id = $2',
      key,
    )
    if (rowCount === 0) throw authErrors.consentNotFound()
    const codes = 'delete from auth.oauth_authorizations where user_id = $1 and client_id = $2'
    await db.query(codes, key)
    await db.query('delete from auth.sessions where user_id = $1 and oauth_client_id = $2', key)
  })
  recordOwnEvent(call, 'app no longer allowed', { client_id: clientId })
  return new Response(null, { status: 204 })
}
