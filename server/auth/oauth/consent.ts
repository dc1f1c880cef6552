import { randomBytes } from 'node:crypto'
import * as z from 'zod'
import { parseScopes } from '#domain/access/oauth-scopes.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow } from '../../postgres/rows.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import { isUuid } from '../../primitives/uuid.ts'
import { issuerOf } from '../../tokens/tokens.ts'
import { readBody, transaction } from '../call.ts'
import { authErrors } from '../errors.ts'
import type { SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { isWithin } from '../refresh.ts'
import type { AppAuthorization } from './authorize.ts'
import { type Client, findClient, presentClientToPeople } from './clients.ts'
import { withAnswer } from './redirect-uris.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { uuidParameter } from '../../http/router.ts'

export const consentBody = z.object({
  action: z.enum(['approve', 'deny']),
  /** The space that the app shall act for. Default: the person's own account. */
  account_id: z.uuid('account_id must be the id of a space').nullish(),
})

/**
 * GET /oauth/authorizations/{id}: the request of an app to this person; or, when they have allowed all of it before, where
 * to go on. The first reader owns it; others get 404.
 */
export async function readAuthorization(call: SignedInCall): Promise<Response> {
  const { answer, allowed } = await transaction(call, async (db) => {
    const found = await claimAuthorization(db, call, { mayBeFirst: true })
    const client = orThrow(await findClient(db, found.client_id), authErrors.authorizationNotFound)
    const earlier = found.asks_anew ? undefined : await earlierConsent(db, call.user.id, found)
    if (earlier) {
      const allowed = { ...found, account_id: earlier.account_id }
      return { answer: { redirect_url: await approved(db, call, allowed) }, allowed }
    }
    const answer = {
      authorization_id: found.id,
      redirect_uri: found.redirect_uri,
      client: { ...presentClientToPeople(client), registration: client.registration },
      user: { id: call.user.id, email: call.user.email ?? '' },
      scope: found.scope,
    }
    return { answer }
  })
  if (allowed) recordDecision(call, 'app allowed', allowed)
  return Response.json(answer)
}

/** Maximum per account; a new one evicts the least recently used. Each keeps the row of its app. */
const maxConsents = 100

/** POST /oauth/authorizations/{id}/consent: takes the person's decision, and returns the next address. */
export async function decideAuthorization(call: SignedInCall): Promise<Response> {
  const { action, account_id: account = null } = await readBody(call, consentBody)
  const { url, found, ended } = await transaction(call, async (db) => {
    await lockConsents(db, call.user.id)
    const claimed = await claimAuthorization(db, call, { mayBeFirst: false })
    const found = { ...claimed, account_id: account === call.user.id ? null : account }
    if (action === 'approve') {
      await requireMember(db, call, found.account_id)
      // Adds to the scopes allowed before.
      await db.query(
        `insert into auth.oauth_consents as c (user_id, client_id, scope, resources, account_id) values ($1, $2, $3, array[$4::text], $5)
          on conflict (user_id, client_id) do update set granted_at = now(), account_id = excluded.account_id, resources = case
              when $4 = any (c.resources) then c.resources else c.resources || $4::text end, scope = (
            select string_agg(distinct one, ' ')
              from unnest(string_to_array(c.scope || ' ' || excluded.scope, ' ')) as one)`,
        [call.user.id, found.client_id, found.scope, found.resource ?? '', found.account_id],
      )
      const ended = await endUnusedConsents(db, call.user.id, found.client_id)
      return { url: await approved(db, call, found), found, ended }
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
    return { url, found, ended: [] }
  })
  for (const client_id of ended) recordOwnEvent(call, 'app no longer allowed', { client_id })
  recordDecision(call, action === 'approve' ? 'app allowed' : 'app refused', found)
  return Response.json({ redirect_url: url })
}

function recordDecision(
  call: SignedInCall,
  event: 'app allowed' | 'app refused',
  { client_id, scope }: AppAuthorization,
): void {
  recordOwnEvent(call, event, { client_id, scope })
}

/**
 * POST /oauth/authorizations/{id}/release: the person leaves the request to another of their accounts; the next reader owns
 * it. Not part of the protocol.
 */
export async function giveUpAuthorization(call: SignedInCall): Promise<Response> {
  await transaction(call, async (db) => {
    const { id } = await claimAuthorization(db, call, { mayBeFirst: false })
    await db.query('update auth.oauth_authorizations set user_id = null where id = $1', [id])
  })
  return new Response(null, { status: 204 })
}

/**
 * The request of the path, assigned to this person and locked until the transaction ends.
 *
 * @throws {AuthError} 404 when it is another person's, decided, expired or unknown; also when no one has read it, unless this
 *   person may be the first
 */
async function claimAuthorization(
  db: Transaction,
  call: SignedInCall,
  { mayBeFirst }: { mayBeFirst: boolean },
): Promise<AppAuthorization> {
  const id = uuidParameter(call, 'authorization', authErrors.authorizationNotFound)
  const found = await firstRow<AppAuthorization>(
    db,
    `update auth.oauth_authorizations set user_id = $2
      where id = $1 and (user_id = $2 or $3 and user_id is null) and status = 'pending' and expires_at > now()
      returning id, client_id, user_id, redirect_uri, scope, state, nonce, resource, asks_anew, account_id, auth_time`,
    [id, call.user.id, mayBeFirst],
  )
  return orThrow(found, authErrors.authorizationNotFound)
}

/**
 * Issues the code for the app: valid once, for ten minutes. Only its hash is stored.
 *
 * @returns the app's address with the code, and with `iss`, by which it knows the issuer of the code (RFC 9207)
 */
async function approved(
  db: Transaction,
  call: SignedInCall,
  { id, redirect_uri, state, account_id }: AppAuthorization,
): Promise<string> {
  const code = randomBytes(32).toString('base64url')
  await db.query(
    `update auth.oauth_authorizations set status = 'approved', code_hash = $2, auth_time = $3, account_id = $4,
        expires_at = now() + interval '10 minutes' where id = $1`,
    [id, sha256Hex(code), signedInAt(call), account_id],
  )
  return withAnswer(redirect_uri, { code, state, iss: issuerOf(call.deps.config) })
}

/** When the person last showed who they are. */
function signedInAt({ session }: SignedInCall): Date {
  return new Date(Math.max(...session.amr.map(({ timestamp }) => timestamp)) * 1000)
}

/** @throws {AuthError} 403 when the person is no member of the space */
async function requireMember(
  db: Transaction,
  { user }: SignedInCall,
  space: string | null,
): Promise<void> {
  if (space === null) return
  const { rowCount } = await db.query(
    'select from app.members where account_id = $1 and person_id = $2 for key share',
    [space, user.id],
  )
  if (rowCount === 0) throw authErrors.foreignAccount()
}

/**
 * The earlier consent that covers all requested scopes, for the same resource. At a loopback port or a custom scheme
 * any program of the device may wait for the answer (RFC 8252 8.6): there the person is asked each time.
 */
async function earlierConsent(
  db: Transaction,
  userId: string,
  { client_id, scope, resource, redirect_uri: redirectUri }: AppAuthorization,
): Promise<Pick<AppAuthorization, 'account_id'> | undefined> {
  if (!redirectUri.startsWith('https:')) return undefined
  const granted = await firstRow<{ scope: string; account_id: string | null }>(
    db,
    'select scope, account_id from auth.oauth_consents where user_id = $1 and client_id = $2 and $3 = any (resources)',
    [userId, client_id, resource ?? ''],
  )
  return granted && isWithin(scope, granted.scope) ? granted : undefined
}

type GrantedClient = Pick<Client, 'id' | 'client_name' | 'client_uri' | 'logo_uri' | 'document_url'>

/** GET /user/oauth/grants: the apps that may act for this person. */
export async function listGrants(call: SignedInCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query<GrantedClient & { scope: string; granted_at: Date; account_id: string | null }>(
      `select a.id, a.client_name, a.client_uri, a.logo_uri, a.document_url, c.scope, c.granted_at, c.account_id
        from auth.oauth_consents c join auth.oauth_clients a on a.id = c.client_id
        where c.user_id = $1 order by c.granted_at desc, c.client_id`,
      [call.user.id],
    ),
  )
  const grants = rows.map(({ scope, granted_at, account_id, ...client }) => ({
    client: presentClientToPeople(client),
    scopes: parseScopes(scope).known,
    granted_at,
    account_id,
  }))
  return Response.json(grants)
}

/** DELETE /user/oauth/grants?client_id=: withdraws the person's consent; the app's tokens stop working at once. */
export async function revokeGrant(call: SignedInCall): Promise<Response> {
  const clientId = call.url.searchParams.get('client_id')
  if (!isUuid(clientId)) throw authErrors.invalid('client_id must be an app’s id')
  await transaction(call, async (db) => {
    await lockConsents(db, call.user.id)
    const ended = await endConsents(db, call.user.id, [clientId])
    if (ended === 0) throw authErrors.consentNotFound()
  })
  recordOwnEvent(call, 'app no longer allowed', { client_id: clientId })
  return new Response(null, { status: 204 })
}

/**
 * The first lock of each transaction that writes consents of the account, so that two at once do not both find room. An
 * exchange of a code, which inserts a session, does not wait for it.
 */
async function lockConsents(db: Transaction, userId: string): Promise<void> {
  await db.query('select 1 from auth.users where id = $1 for no key update', [userId])
}

/**
 * Ends the consents that are too many, in the order of the last use of their apps.
 *
 * @param kept the app that was allowed in this transaction
 * @returns the apps
 */
async function endUnusedConsents(db: Transaction, userId: string, kept: string): Promise<string[]> {
  const { rows } = await db.query<{ client_id: string }>(
    `select c.client_id from auth.oauth_consents c where c.user_id = $1 and c.client_id <> $2
      order by greatest(c.granted_at, (select max(s.refreshed_at) from auth.sessions s
        where s.user_id = c.user_id and s.oauth_client_id = c.client_id)) desc, c.client_id offset $3`,
    [userId, kept, maxConsents - 1],
  )
  const apps = rows.map(({ client_id }) => client_id)
  if (apps.length > 0) await endConsents(db, userId, apps)
  return apps
}

/**
 * Deletes consents with the codes and sessions of their apps. Codes go before sessions: an exchange that runs at the same
 * time holds its code, so its session is there to be ended or is never made.
 *
 * @returns how many there were
 */
async function endConsents(
  db: Transaction,
  userId: string,
  apps: readonly string[],
): Promise<number> {
  const key = [userId, apps]
  const { rowCount } = await db.query(
    'delete from auth.oauth_consents where user_id = $1 and client_id = any ($2)',
    key,
  )
  await db.query(
    'delete from auth.oauth_authorizations where user_id = $1 and client_id = any ($2)',
    key,
  )
  await db.query('delete from auth.sessions where user_id = $1 and oauth_client_id = any ($2)', key)
  return rowCount ?? 0
}
