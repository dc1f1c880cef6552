import { isUniqueViolation } from '../../primitives/error-code.ts'
import { transaction } from '../call.ts'
import type { SignedInCall } from '../signed-in.ts'
import { recordEvent } from '../record-event.ts'
import { authErrors } from '../errors.ts'
import { endSessions } from '../sessions.ts'
import type { Transaction } from '../../postgres/database.ts'
import { lockUser } from '../users.ts'
import { refreshProviders } from './identities.ts'

interface Row {
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
  const provider = await transaction(call, async (db) => {
    await lockUser(db, user.id)
    const identities = await identitiesOf(db, user.id)
    const gone = identities.find(({ id }) => id === params['identity'])
    if (!gone) throw authErrors.identityNotFound()
    const left = identities.filter(({ id }) => id !== gone.id)
    if (left.length === 0) throw authErrors.singleIdentity()
    await db.query('delete from auth.identities where id = $1', [gone.id])
    if (gone.provider === 'email')
      await db.query('update auth.users set encrypted_password = null where id = $1', [user.id])
    await followEmail(db, user.id, left)
    await refreshProviders(db, user.id)
    await endSessions(db, { user: user.id, except: session.id })
    return gone.provider
  })
  recordEvent(call, 'identity unlinked', { user_id: user.id, session_id: session.id, provider })
  return Response.json({}, { headers: { 'Cache-Control': 'no-store' } })
}

async function identitiesOf(db: Transaction, userId: string): Promise<Row[]> {
  const { rows } = await db.query<Row>(
    `select id, provider, identity_data ->> 'email' as email,
        coalesce((identity_data ->> 'email_verified')::boolean, false) as is_verified
      from auth.identities where user_id = $1 order by created_at, id`,
    [userId],
  )
  return rows
}

/** The account's address must belong to an identity that it still has. */
async function followEmail(db: Transaction, userId: string, left: Row[]): Promise<void> {
  const { rows } = await db.query<{ email: string | null }>(
    'select email from auth.users where id = $1',
    [userId],
  )
  const current = rows[0]?.email ?? null
  const good = left.filter(({ email, is_verified }) => email !== null && is_verified)
  if (current === null || good.some(({ email }) => email === current)) return
  try {
    await db.query(
      `update auth.users set email = $2, email_confirmed_at = case when $2::text is not null then now() end,
          email_proven_at = case when $3 then now() end, updated_at = now() where id = $1`,
      [userId, good[0]?.email ?? null, good[0] !== undefined && good[0].provider !== 'email'],
    )
  } catch (error) {
    if (isUniqueViolation(error)) throw authErrors.emailConflict()
    throw error
  }
}
