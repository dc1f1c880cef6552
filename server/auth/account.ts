import pg from 'pg'
import * as z from 'zod'
import { accountDeletionMs } from '../postgres/begin.ts'
import { onlyRow } from '../postgres/rows.ts'
import { isRaisedException } from '../primitives/error-code.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { streamOf } from '../primitives/text-stream.ts'
import { readOptionalBody, transaction } from './call.ts'
import { maxPasswordBytes } from './credentials.ts'
import { authErrors } from './errors.ts'
import { emailLogins, lacksAal2, type OwnedAccount, type SignedInCall } from './guards.ts'
import { requireOwnPassword } from './guessing/compare-password.ts'
import { presentUser } from './present-user.ts'
import { recordOwnEvent } from './record-event.ts'
import { endSessions } from './sessions.ts'
import { uuidParameter } from '../http/router.ts'
import { replaceErrorWhen } from '../primitives/caught-error.ts'

/** GET /user/sessions: where the person is signed in, last used first. Sessions of apps are listed with the apps. */
export async function listSessions(call: SignedInCall): Promise<Response> {
  const { rows } = await transaction(call, (db) =>
    db.query<{ id: string }>(
      `select id, created_at, refreshed_at as last_used_at, user_agent, ip as address, aal from auth.sessions
        where user_id = $1 and oauth_client_id is null and auth.session_is_live(id, user_id)
        order by refreshed_at desc, id limit 200`,
      [call.user.id],
    ),
  )
  const sessions = rows.map((session) => ({ ...session, current: session.id === call.session.id }))
  return Response.json(sessions)
}

/** DELETE /user/sessions/{id}: signs the person out there, at once. */
export async function endOwnSession(call: SignedInCall): Promise<Response> {
  const id = uuidParameter(call, 'id', authErrors.noSuchSession)
  const ended = await transaction(call, (db) => endSessions(db, { user: call.user.id, only: id }))
  if (ended === 0) throw authErrors.noSuchSession()
  recordOwnEvent(call, 'session ended', { ended_session_id: id })
  return new Response(null, { status: 204 })
}

const logOutScope = z.enum(['global', 'local', 'others'])

/**
 * POST /logout?scope=global|local|others: ends all sessions (the default), this one, or all others. A session without the
 * second factor can end only itself: with scope `global` it does, and the answer says that the others are still there.
 */
export async function logOut(call: SignedInCall): Promise<Response> {
  const { data } = logOutScope.safeParse(call.url.searchParams.get('scope') || 'global')
  const scope = orThrow(data, () => authErrors.invalid('Unsupported logout scope'))
  const { user, session } = call
  const which = {
    global: { user: user.id },
    local: { user: user.id, only: session.id },
    others: { user: user.id, except: session.id },
  }
  const lacksFactor = scope !== 'local' && lacksAal2(call)
  if (lacksFactor && scope === 'others') throw authErrors.insufficientAal()
  const reached = lacksFactor ? 'local' : scope
  const ended = await transaction(call, (db) => endSessions(db, which[reached]))
  recordOwnEvent(call, 'logout', { scope: reached, ended })
  if (lacksFactor) throw authErrors.insufficientAal()
  return new Response(null, { status: 204 })
}

/** GET /user/events: the last 50 security events of one's own account, newest first. */
export async function listEvents(call: SignedInCall): Promise<Response> {
  // Events of the last moments are not stored yet.
  await call.deps.securityEvents.flush()
  const { rows } = await transaction(call, (db) =>
    db.query(
      `select id, at, event, address, user_agent from auth.security_events
        where user_id = $1 order by id desc limit 50`,
      [call.user.id],
    ),
  )
  return Response.json(rows)
}

export const accountDeletionBody = z.object({
  password: z.string().max(maxPasswordBytes).nullish(),
})

/** How long a sign-in counts as recent. */
const recentSignInMs = 15 * 60_000

/**
 * DELETE /user: deletes one's own account and everything in it, at once and for good. The person must have signed in
 * within 15 minutes, or give the password.
 */
export async function deleteOwnAccount(call: SignedInCall): Promise<Response> {
  const { user, session } = call
  const input = await readOptionalBody(call, accountDeletionBody)
  if (input?.password) {
    await emailLogins(call)
    await requireOwnPassword(call, input.password, authErrors.invalidCredentials())
  } else if (Date.now() - session.created_at.getTime() > recentSignInMs)
    throw authErrors.reauthenticationNeeded()
  const caller = { role: 'hoplet_auth', statementTimeout: accountDeletionMs } as const
  await call.deps.database
    .transactionAs(caller, (db) => db.query('delete from auth.users where id = $1', [user.id]))
    .catch(asKept)
  recordOwnEvent(call, 'account deleted')
  return new Response(null, { status: 204 })
}

/** Triggers keep the last admin, and an owner for every space. */
export const asKept = replaceErrorWhen(isRaisedException, (error) =>
  error instanceof pg.DatabaseError && error.hint === 'last_owner'
    ? authErrors.lastOwner(error.message)
    : authErrors.lastAdmin(),
)

/**
 * GET /user/export: all data about a person, as JSON to save. Composed of the parts of all features, and streamed while
 * it is read: a person may have a million links.
 */
export async function exportOwnData(
  call: SignedInCall & { account: OwnedAccount },
): Promise<Response> {
  const { user, account, deps } = call
  const { id, claims } = account
  const person = { id, personId: user.id, claims }
  const facts = []
  for (const part of deps.exports) facts.push(await part.facts?.(person))
  const head = Object.assign(
    {
      exported_at: new Date().toISOString(),
      account: account.isSpace ? { id, kind: 'space' } : presentUser(user),
    },
    ...facts,
    await readAccountFacts(call, id),
  ) as Record<string, unknown>
  const lists = deps.exports.flatMap((part) => Object.entries(part.lists?.(person) ?? {}))
  recordOwnEvent(call, 'data exported')
  return new Response(streamOf(write(head, lists)), {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="hoplet-export.json"',
    },
  })
}

async function* write(
  head: Record<string, unknown>,
  lists: [name: string, pages: AsyncIterable<unknown[]>][],
): AsyncGenerator<string> {
  yield JSON.stringify(head, null, 2).slice(0, -2)
  for (const [name, pages] of lists) {
    yield `,\n  ${JSON.stringify(name)}: [`
    let separator = '\n'
    for await (const page of pages) {
      yield separator + page.map((row) => `    ${JSON.stringify(row)}`).join(',\n')
      separator = ',\n'
    }
    yield separator === '\n' ? ']' : '\n  ]'
  }
  yield '\n}\n'
}

/** The auth door's own part of the export. */
async function readAccountFacts(
  call: SignedInCall,
  account: string,
): Promise<Record<string, unknown>> {
  await call.deps.securityEvents.flush()
  return transaction(call, (db) =>
    onlyRow(
      db,
      `select
        coalesce((select jsonb_agg(to_jsonb(s) order by s.created_at) from (
          select id, created_at, refreshed_at as last_used_at, user_agent, ip as address, oauth_client_id as app_id, scope, resource
          from auth.sessions where user_id = $1) s), '[]') as sessions,
        coalesce((select jsonb_agg(to_jsonb(c) order by c.granted_at) from (
          select client_id as app_id, scope, granted_at from auth.oauth_consents where user_id = $1) c), '[]') as connected_apps,
        coalesce((select jsonb_agg(to_jsonb(a) order by a.id) from (
          select id, at, client_id as app_id, app, action, kind, target, name from auth.app_changes where user_id = $1
          order by id desc limit 10000) a), '[]') as app_changes,
        coalesce((select jsonb_agg(to_jsonb(k) order by k.created_at) from (
          select id, name, hint, scope, domains, created_at, expires_at, last_used_at, last_used_country
          from auth.api_keys where user_id = $1) k), '[]') as api_keys,
        coalesce((select jsonb_agg(to_jsonb(e) order by e.id) from (
          select id, at, event, address, user_agent, facts from auth.security_events where user_id = $1
          order by id desc limit 10000) e), '[]') as security_events,
        coalesce((select jsonb_agg(jsonb_build_object('id', s.id, 'slug', s.slug, 'name', app.space_name(s.id), 'role', m.role,
            'joined_at', m.created_at, 'last_seen_at', m.last_seen_at) order by m.created_at)
          from app.members m join app.spaces s on s.id = m.account_id where $1 in (m.person_id, m.account_id)
            and m.person_id = $2), '[]') as spaces,
        coalesce((select jsonb_agg(jsonb_build_object('person_id', m.person_id, 'email', u.email, 'role', m.role,
            'joined_at', m.created_at) order by m.created_at)
          from app.members m join auth.users u on u.id = m.person_id where m.account_id = $1), '[]') as members,
        coalesce((select jsonb_agg(to_jsonb(i) order by i.created_at) from (
          select id, role, email, created_by, created_at, expires_at, used_by, used_at
          from app.invitations where account_id = $1) i), '[]') as invitations`,
      [account, call.user.id],
    ),
  )
}
