import type { Database } from '../../postgres/database.ts'

/** The addresses that an account's owner is signed in from; none for an account that does not exist. */
export async function homesOf(database: Database, email: string): Promise<string[]> {
  const { rows } = await database.transactionAs({ role: 'hoplet_auth', readOnly: true }, (db) =>
    db.query<{ ip: string }>(
      `select distinct s.ip from auth.users u join auth.sessions s on s.user_id = u.id
        where u.email = $1 and s.ip is not null and s.oauth_client_id is null limit 200`,
      [email],
    ),
  )
  return rows.map(({ ip }) => ip)
}
