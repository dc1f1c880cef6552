import type { Transaction } from '../../postgres/database.ts'

/** What a sign-in reads before it may know the person. */
export interface SignInAccount {
  /** Undefined when no account has the address. */
  credentials: { id: string; encrypted_password: string | null } | undefined
  /** From where the owner is signed in. Sessions of apps do not count: an app may run anywhere. */
  knownAddresses: string[]
}

/** Reads the account of an email address in one query, whether it exists or not. */
export async function findSignInAccount(db: Transaction, email: string): Promise<SignInAccount> {
  const { rows } = await db.query<{
    id: string
    encrypted_password: string | null
    known_addresses: string[]
  }>(
    `select u.id, u.encrypted_password, array(
        select distinct s.ip from auth.sessions s
          where s.user_id = u.id and s.ip is not null and s.oauth_client_id is null limit 200) as known_addresses
      from auth.users u where u.email = $1`,
    [email],
  )
  const { known_addresses: knownAddresses = [], ...credentials } = rows[0] ?? {}
  return { credentials: 'id' in credentials ? credentials : undefined, knownAddresses }
}
