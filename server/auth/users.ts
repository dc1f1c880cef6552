import type { Transaction } from '../postgres/database.ts'
import { firstRow, onlyRow } from '../postgres/rows.ts'
import { isUniqueViolation } from '../primitives/error-code.ts'
import { authErrors } from './errors.ts'
import { replaceErrorWhen } from '../primitives/caught-error.ts'

/** An identity, with the fields that people see. */
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

/** A second factor, with the fields that people see: its secrets are in factors/factor-rows.ts. */
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

/** An account with the fields for the presenter, the tokens and the checks; never the password. */
export interface User {
  id: string
  email: string | null
  email_confirmed_at: Date | null
  /** Whether a person has ever shown that email to the address reaches them. */
  is_email_proven: boolean
  last_sign_in_at: Date | null
  is_banned: boolean
  banned_until: Date | null
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

const ownColumns = `u.id, u.email, u.email_confirmed_at, u.email_proven_at is not null as is_email_proven,
  u.last_sign_in_at, coalesce(u.banned_until > now(), false) as is_banned, u.banned_until,
  u.new_email, u.confirmation_sent_at, u.recovery_sent_at, u.email_change_sent_at, u.invited_at, u.user_metadata,
  u.app_metadata, u.created_at, u.updated_at`

/** Columns of `auth.users`, named `u` in the query. */
export const userColumns = `${ownColumns},
  (select coalesce(jsonb_agg(to_jsonb(i) order by i.created_at, i.identity_id), '[]') from (
    select id as identity_id, provider_id as id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at
      from auth.identities where user_id = u.id) i) as identities,
  (select coalesce(jsonb_agg(to_jsonb(f) order by f.created_at, f.id), '[]') from (
    select id, friendly_name, factor_type, status, phone, created_at, updated_at, last_challenged_at
      from auth.factors where user_id = u.id) f) as factors`

/** A space is no user: nobody signs in to it. */
export function findUser(db: Transaction, id: string): Promise<User | undefined> {
  return firstRow(
    db,
    `select ${userColumns} from auth.users u where u.id = $1 and u.kind = 'person'`,
    [id],
  )
}

/** The user of an account that this transaction has locked or inserted. */
export function findLockedUser(db: Transaction, id: string): Promise<User> {
  return onlyRow(db, `select ${userColumns} from auth.users u where u.id = $1`, [id])
}

/** An account with the fields for its changes, locked until the transaction ends. */
export interface LockedAccount extends Omit<User, 'identities' | 'factors'> {
  encrypted_password: string | null
  /** The old address has confirmed the change, or need not. */
  email_change_agreed: boolean
  /** The new address has confirmed the change. */
  email_change_proven: boolean
}

const lockedColumns = `${ownColumns}, u.encrypted_password, u.email_change_agreed, u.email_change_proven`

/** Locks the account, so that a read and a write of it are one step. */
export function lockAccount(db: Transaction, id: string): Promise<LockedAccount | undefined> {
  return firstRow(
    db,
    `select ${lockedColumns} from auth.users u where u.id = $1 and u.kind = 'person' for update`,
    [id],
  )
}

/** Locks the account that has this address. */
export function lockAccountOf(db: Transaction, email: string): Promise<LockedAccount | undefined> {
  const text = `select ${lockedColumns} from auth.users u where u.email = $1 for update`
  return firstRow(db, text, [email])
}

interface NewAccount {
  /** Default: a new one. @throws unique_violation (SQLSTATE 23505) when it is taken */
  id?: string
  email: string
  /** Null: the person signs in with emailed links. */
  passwordHash: string | null
  confirmed: boolean
  /** A provider or the operator vouches for the address. */
  proven?: boolean
  metadata: Record<string, unknown>
}

/** The initial app_metadata of an account with an email address. */
export const emailProvider = { provider: 'email', providers: ['email'] }

/**
 * Creates an account with its email identity. Triggers add profile, plan, usage and role.
 *
 * @returns the id, or undefined when the email address is taken
 */
export async function insertUser(
  db: Transaction,
  { id, email, passwordHash, confirmed, proven = false, metadata }: NewAccount,
): Promise<string | undefined> {
  const inserted = await firstRow<{ id: string }>(
    db,
    `insert into auth.users (id, email, encrypted_password, email_confirmed_at, email_proven_at, user_metadata, app_metadata)
      values (coalesce($6::uuid, gen_random_uuid()), $1, $2, case when $3 then now() end, case when $5 then now() end, $4, $7)
      on conflict (email) do nothing returning id`,
    [email, passwordHash, confirmed, metadata, proven, id, emailProvider],
  )
  if (inserted) await putEmailIdentity(db, inserted.id, email, confirmed)
  return inserted?.id
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
  return rowCount === 1
}

interface AccountChanges {
  email?: string | undefined
  isProven?: boolean
  passwordHash?: string | null | undefined
  metadata?: Record<string, unknown> | undefined
  appMetadata?: Record<string, unknown> | undefined
  /** 0 lifts a ban. */
  banSeconds?: number | undefined
}

/**
 * Updates the given fields. A new address counts as confirmed, and as proven only with `isProven`.
 *
 * @throws {AuthError} 422 email_exists
 */
export async function updateUser(
  db: Transaction,
  id: string,
  changes: AccountChanges,
): Promise<void> {
  const { email, isProven = false, passwordHash, metadata, appMetadata, banSeconds } = changes
  await db
    .query(
      `update auth.users set email = coalesce($2, email), encrypted_password = coalesce($3, encrypted_password),
          email_confirmed_at = case when $2::text is null then email_confirmed_at else now() end,
          email_proven_at = case when $2::text is null then email_proven_at when $5 then now() end,
          user_metadata = coalesce($4, user_metadata), app_metadata = coalesce($6, app_metadata),
          banned_until = case when $7::float8 is null then banned_until when $7 > 0 then now() + make_interval(secs => $7) end,
          updated_at = now()
        where id = $1`,
      [id, email, passwordHash, metadata, isProven, appMetadata, banSeconds],
    )
    .catch(replaceErrorWhen(isUniqueViolation, authErrors.emailExists))
  if (email === undefined) return
  await db.query(
    `update auth.identities set identity_data = $2, updated_at = now() where user_id = $1 and provider = 'email'`,
    [id, JSON.stringify(emailIdentity(id, email, true))],
  )
}

function emailIdentity(id: string, email: string, verified: boolean): Record<string, unknown> {
  return { sub: id, email, email_verified: verified, phone_verified: false }
}

/** Email to the address reaches the person, or an admin or a provider vouches for that. */
export async function markEmailProven(db: Transaction, id: string): Promise<void> {
  await db.query(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()),
        email_proven_at = coalesce(email_proven_at, now()) where id = $1`,
    [id],
  )
}

const personalTables =
  'sessions api_keys identities factors one_time_tokens flow_states oauth_authorizations oauth_consents'

/**
 * Clears an account for the person who has just verified its email address. It was unverified until now, so its creator may be
 * a stranger who waited for the owner: removes password, identities, factors, sessions, API keys, webhooks, allowed apps, pending
 * codes and all data about the person. Links and pages stay.
 *
 * The caller then adds the new identity.
 */
export async function clearUnverifiedAccount(db: Transaction, userId: string): Promise<void> {
  for (const table of personalTables.split(' '))
    await db.query(`delete from auth.${table} where user_id = $1`, [userId])
  await db.query('delete from auth.flow_states where linking_user_id = $1', [userId])
  await db.query('select app.delete_claims($1)', [userId])
  await db.query('select app.delete_memberships($1)', [userId])
  await db.query(
    `update auth.users set encrypted_password = null, user_metadata = '{}', new_email = null, email_change_agreed = false,
        email_change_proven = false, updated_at = now()
      where id = $1`,
    [userId],
  )
}

/** Starts an unverified account over: for another sign-up, or for the operator. With metadata its age starts over too. */
export async function resetAccount(
  db: Transaction,
  id: string,
  { email, passwordHash, metadata }: AccountChanges & { email: string },
): Promise<void> {
  await clearUnverifiedAccount(db, id)
  await putEmailIdentity(db, id, email, false)
  await updateUser(db, id, { passwordHash, metadata })
  if (!metadata) return
  await db.query('update auth.users set created_at = now() where id = $1', [id])
  await db.query('select app.take_sign_up($1)', [id])
}
