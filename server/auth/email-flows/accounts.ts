import type { Transaction } from '../../postgres/database.ts'

/** What the email flows know of an account, locked until the transaction ends. */
export interface LockedAccount {
  id: string
  email: string | null
  new_email: string | null
  has_password: boolean
  is_invited: boolean
  is_confirmed: boolean
  /** Whether a person has ever shown that email to the address reaches them. */
  is_proven: boolean
  /** The old address has confirmed the change, or need not. */
  email_change_agreed: boolean
  /** The new address has confirmed the change. */
  email_change_proven: boolean
}

const columns = `id, email, new_email, encrypted_password is not null as has_password, invited_at is not null as is_invited,
  email_confirmed_at is not null as is_confirmed, email_proven_at is not null as is_proven, email_change_agreed,
  email_change_proven`

export async function lockAccountOf(
  db: Transaction,
  email: string,
): Promise<LockedAccount | undefined> {
  const { rows } = await db.query<LockedAccount>(
    `select ${columns} from auth.users where email = $1 for update`,
    [email],
  )
  return rows[0]
}

export async function lockAccount(db: Transaction, id: string): Promise<LockedAccount | undefined> {
  const { rows } = await db.query<LockedAccount>(
    `select ${columns} from auth.users where id = $1 for update`,
    [id],
  )
  return rows[0]
}
