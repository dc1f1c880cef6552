import type { OAuthScope } from '#domain/oauth-scopes.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { User } from '../users.ts'

/**
 * The person's address for an app that may know it. It counts as verified only when a person has shown that email to it
 * reaches them: apps link accounts by this.
 */
export async function emailClaims(
  db: Transaction,
  user: User,
  scopes: ReadonlySet<OAuthScope>,
): Promise<Record<string, unknown>> {
  if (!scopes.has('email') || user.email === null) return {}
  const { rows } = await db.query<{ is_proven: boolean }>(
    'select email_proven_at is not null as is_proven from auth.users where id = $1',
    [user.id],
  )
  return { email: user.email, email_verified: rows[0]?.is_proven ?? false }
}
