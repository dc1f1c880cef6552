import type { Transaction } from '../postgres/database.ts'

/**
 * Clears an account for the person who has just verified its email address. It was unverified until now, so its creator may be
 * a stranger who waited for the owner: removes password, identities, factors, sessions, allowed apps, pending codes and all
 * data about the person. Links and pages stay.
 *
 * The caller then adds the new identity.
 */
export async function clearUnverifiedAccount(db: Transaction, userId: string): Promise<void> {
  await db.query('delete from auth.sessions where user_id = $1', [userId])
  await db.query('delete from auth.identities where user_id = $1', [userId])
  await db.query('delete from auth.factors where user_id = $1', [userId])
  await db.query('delete from auth.one_time_tokens where user_id = $1', [userId])
  await db.query('delete from auth.flow_states where user_id = $1 or linking_user_id = $1', [
    userId,
  ])
  await db.query('delete from auth.oauth_authorizations where user_id = $1', [userId])
  await db.query('delete from auth.oauth_consents where user_id = $1', [userId])
  await db.query('select app.forget_claims($1)', [userId])
  await db.query(
    `update auth.users set encrypted_password = null, user_metadata = '{}', new_email = null, email_change_agreed = false,
        email_change_proven = false, phone = null, phone_confirmed_at = null, updated_at = now()
      where id = $1`,
    [userId],
  )
}
