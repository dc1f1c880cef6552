import type { Transaction } from '../postgres/database.ts'

/** An identity as the presenter gets it. */
export interface UserIdentity {
  identity_id: string
  id: string
  user_id: string
  identity_data: Record<string, unknown>
  provider: string
  last_sign_in_at: string | null
  created_at: string
  updated_at: string
}

/** A second factor for the presenter, without its secret. */
export interface Factor {
  id: string
  friendly_name: string
  factor_type: 'totp' | 'webauthn' | 'phone'
  status: 'unverified' | 'verified'
  phone: string | null
  created_at: string
  updated_at: string
  last_challenged_at: string | null
}

/** An account with what the presenter, the tokens and the checks need; never the password. */
export interface User {
  id: string
  email: string | null
  email_confirmed_at: Date | null
  last_sign_in_at: Date | null
  is_banned: boolean
  banned_until: Date | null
  phone: string | null
  phone_confirmed_at: Date | null
  /** The requested new address, until it is confirmed. */
  new_email: string | null
  confirmation_sent_at: Date | null
  recovery_sent_at: Date | null
  email_change_sent_at: Date | null
  invited_at: Date | null
  user_metadata: Record<string, unknown>
  app_metadata: Record<string, unknown>
  created_at: Date
  updated_at: Date
  identities: UserIdentity[]
  factors: Factor[]
}

const columns = `u.id, u.email, u.email_confirmed_at, u.last_sign_in_at, coalesce(u.banned_until > now(), false) as is_banned,
  u.banned_until, u.phone, u.phone_confirmed_at, u.new_email, u.confirmation_sent_at, u.recovery_sent_at, u.email_change_sent_at,
  u.invited_at,
  u.user_metadata, u.app_metadata, u.created_at, u.updated_at,
  (select coalesce(jsonb_agg(jsonb_build_object('identity_id', i.id, 'id', i.provider_id, 'user_id', i.user_id,
      'identity_data', i.identity_data, 'provider', i.provider, 'last_sign_in_at', i.last_sign_in_at,
      'created_at', i.created_at, 'updated_at', i.updated_at) order by i.created_at, i.id), '[]')
    from auth.identities i where i.user_id = u.id) as identities,
  (select coalesce(jsonb_agg(jsonb_build_object('id', f.id, 'friendly_name', f.friendly_name, 'factor_type', f.factor_type,
      'status', f.status, 'phone', f.phone, 'created_at', f.created_at, 'updated_at', f.updated_at,
      'last_challenged_at', f.last_challenged_at) order by f.created_at, f.id), '[]')
    from auth.factors f where f.user_id = u.id) as factors`

export async function findUser(db: Transaction, id: string): Promise<User | undefined> {
  const { rows } = await db.query<User>(`select ${columns} from auth.users u where u.id = $1`, [id])
  return rows[0]
}

/** A page of all accounts, the newest first. */
export async function listUsers(
  db: Transaction,
  page: { limit: number; offset: number },
): Promise<User[]> {
  const { rows } = await db.query<User>(
    `select ${columns} from auth.users u order by u.created_at desc, u.id desc limit $1 offset $2`,
    [page.limit, page.offset],
  )
  return rows
}

export async function countUsers(db: Transaction): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from auth.users',
  )
  return rows[0]?.count ?? 0
}

/** What a sign-up reads of an account with the same address. */
export async function findCredentials(
  db: Transaction,
  email: string,
): Promise<{ id: string; encrypted_password: string | null } | undefined> {
  const { rows } = await db.query<{ id: string; encrypted_password: string | null }>(
    'select id, encrypted_password from auth.users where email = $1',
    [email],
  )
  return rows[0]
}

/**
 * Creates an account with its email identity. Triggers add profile, plan, usage and role.
 *
 * @returns the id, or undefined when the email address is taken
 */
export async function insertUser(
  db: Transaction,
  account: {
    /** Default: a new one. @throws unique_violation (SQLSTATE 23505) when it is taken */
    id?: string
    email: string
    /** Null: the person signs in with emailed links. */
    passwordHash: string | null
    confirmed: boolean
    /** A provider or the operator vouches for the address. */
    proven?: boolean
    metadata: Record<string, unknown>
  },
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `insert into auth.users (id, email, encrypted_password, email_confirmed_at, email_proven_at, user_metadata, app_metadata)
      values (coalesce($6::uuid, gen_random_uuid()), $1, $2, case when $3 then now() end, case when $5 then now() end, $4, '{"provider": "email", "providers": ["email"]}')
      on conflict (email) do nothing returning id`,
    [
      account.email,
      account.passwordHash,
      account.confirmed,
      JSON.stringify(account.metadata),
      account.proven ?? false,
      account.id ?? null,
    ],
  )
  const id = rows[0]?.id
  if (id === undefined) return undefined
  await putEmailIdentity(db, id, account.email, account.confirmed)
  return id
}

/** Creates or updates the email identity: password and emailed links. */
export async function putEmailIdentity(
  db: Transaction,
  id: string,
  email: string,
  isVerified: boolean,
): Promise<void> {
  await db.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
      values ($1::uuid, 'email', $1::uuid::text, $2, now())
      on conflict (provider, provider_id) do update set identity_data = excluded.identity_data, updated_at = now()`,
    [id, JSON.stringify(emailIdentity(id, email, isVerified))],
  )
}

/** @returns false when the password was changed, or the account deleted, since `passwordHash` was read */
export async function markSignedIn(
  db: Transaction,
  id: string,
  passwordHash: string | null,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with identity as (
        update auth.identities set last_sign_in_at = now() where user_id = $1 and provider = 'email'
      )
      update auth.users set last_sign_in_at = now()
        where id = $1 and encrypted_password is not distinct from $2`,
    [id, passwordHash],
  )
  return rowCount !== null && rowCount > 0
}

/**
 * Updates the given fields. A new address counts as confirmed, and as proven only with `isProven`.
 *
 * @throws unique_violation (SQLSTATE 23505) when the email address is taken
 */
export async function updateUser(
  db: Transaction,
  id: string,
  changes: {
    email?: string
    isProven?: boolean
    passwordHash?: string
    metadata?: Record<string, unknown>
  },
): Promise<void> {
  await db.query(
    `update auth.users set email = coalesce($2, email), encrypted_password = coalesce($3, encrypted_password),
        email_confirmed_at = case when $2::text is null then email_confirmed_at else now() end,
        email_proven_at = case when $2::text is null then email_proven_at when $5 then now() end,
        user_metadata = coalesce($4, user_metadata), updated_at = now()
      where id = $1`,
    [
      id,
      changes.email ?? null,
      changes.passwordHash ?? null,
      changes.metadata ? JSON.stringify(changes.metadata) : null,
      changes.isProven ?? false,
    ],
  )
  if (changes.email === undefined) return
  await db.query(
    `update auth.identities set identity_data = $2, updated_at = now() where user_id = $1 and provider = 'email'`,
    [id, JSON.stringify(emailIdentity(id, changes.email, true))],
  )
}

/** Locks the account until the transaction ends, so that a read and a write of it are one step. */
export async function lockUser(
  db: Transaction,
  id: string,
): Promise<
  { encrypted_password: string | null; user_metadata: Record<string, unknown> } | undefined
> {
  const { rows } = await db.query<{
    encrypted_password: string | null
    user_metadata: Record<string, unknown>
  }>('select encrypted_password, user_metadata from auth.users where id = $1 for update', [id])
  return rows[0]
}

function emailIdentity(id: string, email: string, verified: boolean): Record<string, unknown> {
  return { sub: id, email, email_verified: verified, phone_verified: false }
}
