import type { Transaction } from '../../postgres/database.ts'
import { isUniqueViolation } from '../../primitives/error-code.ts'
import { authErrors } from '../errors.ts'
import { ownTransaction, type SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { endSessions } from '../sessions.ts'
import { findLockedUser, type LockedAccount, type UserIdentity } from '../users.ts'
import { replaceErrorWhen } from '../../primitives/caught-error.ts'
import { orThrow } from '../../primitives/or-throw.ts'

/** Writes the list of providers into the account, for clients and access tokens. */
export async function refreshProviders(db: Transaction, userId: string): Promise<void> {
  await db.query(
    `update auth.users u set updated_at = now(), app_metadata = u.app_metadata || (
        select jsonb_build_object('provider', coalesce(min(i.provider) filter (where i.position = 1), 'email'),
            'providers', coalesce(jsonb_agg(i.provider order by i.position), '[]'))
          from (select d.provider, row_number() over (order by d.since) as position from (
            select provider, min(created_at) as since from auth.identities where user_id = u.id group by provider) d) i)
      where u.id = $1`,
    [userId],
  )
}

/**
 * DELETE /user/identities/{id}: removes an identity from one's own account, never the last way in. All other sessions end, because
 * they may have begun with it.
 */
export async function unlinkIdentity(call: SignedInCall): Promise<Response> {
  const { user, session, params, deps } = call
  const provider = await ownTransaction(call, async (db, { email }) => {
    const { identities } = await findLockedUser(db, user.id)
    const gone = orThrow(
      identities.find(({ identity_id }) => identity_id === params['identity']),
      authErrors.identityNotFound,
    )
    const left = identities.filter((identity) => identity !== gone)
    const waysIn = left.filter(({ provider }) => provider !== 'email' || deps.config.auth.passwords)
    if (waysIn.length === 0) throw authErrors.singleIdentity()
    await db.query('delete from auth.identities where id = $1', [gone.identity_id])
    if (gone.provider === 'email')
      await db.query('update auth.users set encrypted_password = null where id = $1', [user.id])
    await followEmail(db, { id: user.id, email }, left)
    await refreshProviders(db, user.id)
    await endSessions(db, { user: user.id, except: session.id })
    return gone.provider
  })
  recordOwnEvent(call, 'identity unlinked', { provider })
  return Response.json({})
}

/** The account's address must belong to an identity that it still has. */
async function followEmail(
  db: Transaction,
  { id, email: current }: Pick<LockedAccount, 'id' | 'email'>,
  left: UserIdentity[],
): Promise<void> {
  const good = left.filter(({ identity_data: data }) => data['email'] && data['email_verified'])
  if (current === null || good.some((each) => each.identity_data['email'] === current)) return
  await db
    .query(
      `update auth.users set email = $2, email_confirmed_at = case when $2::text is not null then now() end,
          email_proven_at = case when $3 then now() end, updated_at = now() where id = $1`,
      [id, good[0]?.identity_data['email'], good[0] !== undefined && good[0].provider !== 'email'],
    )
    .catch(replaceErrorWhen(isUniqueViolation, authErrors.emailConflict))
}
