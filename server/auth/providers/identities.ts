import type { Transaction } from '../../postgres/database.ts'
import { isUniqueViolation } from '../../primitives/error-code.ts'
import { authErrors } from '../errors.ts'
import { ownTransaction, type SignedInCall } from '../guards.ts'
import { recordOwnEvent } from '../record-event.ts'
import { endSessions } from '../sessions.ts'
import type { LockedAccount } from '../users.ts'

/** Writes the list of providers into the account, for clients and access tokens. */
export async function refreshProviders(db: Transaction, userId: string): Promise<void> {
  await db.query(
    `update auth.users u set updated_at = now(), app_metadata = u.app_metadata || (
        select jsonb_build_object('provider', coalesce(min(i.provider) filter (where i.place = 1), 'email'),
            'providers', coalesce(jsonb_agg(i.provider order by i.place), '[]'))
          from (select d.provider, row_number() over (order by d.since) as place from (
            select provider, min(created_at) as since from auth.identities where user_id = u.id group by provider) d) i)
      where u.id = $1`,
    [userId],
  )
}

interface IdentityRow {
  id: string
  provider: string
  email: string | null
  is_verified: boolean
}

/**
 * DELETE /user/identities/{id}: removes an identity from one's own account, never the last. All other sessions end, because
 * they may have begun with it.
 */
export async function unlinkIdentity(call: SignedInCall): Promise<Response> {
  if (!call.deps.config.auth.manualLinking) throw authErrors.manualLinkingDisabled()
  const { user, session, params } = call
  const provider = await ownTransaction(call, async (db, { email }) => {
    const identities = await identitiesOf(db, user.id)
    const gone = identities.find(({ id }) => id === params['identity'])
    if (!gone) throw authErrors.identityNotFound()
    const left = identities.filter(({ id }) => id !== gone.id)
    if (left.length === 0) throw authErrors.singleIdentity()
    await db.query('delete from auth.identities where id = $1', [gone.id])
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

async function identitiesOf(db: Transaction, userId: string): Promise<IdentityRow[]> {
  const { rows } = await db.query<IdentityRow>(
    `select id, provider, identity_data ->> 'email' as email,
        coalesce((identity_data ->> 'email_verified')::boolean, false) as is_verified
      from auth.identities where user_id = $1 order by created_at, id`,
    [userId],
  )
  return rows
}

/** The account's address must belong to an identity that it still has. */
async function followEmail(
  db: Transaction,
  { id, email: current }: Pick<LockedAccount, 'id' | 'email'>,
  left: IdentityRow[],
): Promise<void> {
  const good = left.filter(({ email, is_verified }) => email !== null && is_verified)
  if (current === null || good.some(({ email }) => email === current)) return
  try {
    await db.query(
      `update auth.users set email = $2, email_confirmed_at = case when $2::text is not null then now() end,
          email_proven_at = case when $3 then now() end, updated_at = now() where id = $1`,
      [id, good[0]?.email, good[0] !== undefined && good[0].provider !== 'email'],
    )
  } catch (error) {
    if (isUniqueViolation(error)) throw authErrors.emailConflict()
    throw error
  }
}
