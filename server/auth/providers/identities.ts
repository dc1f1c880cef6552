import type { Transaction } from '../../postgres/database.ts'
import { identityData, metadataFrom } from './claims.ts'
import type { ProviderIdentity } from './provider.ts'

/** An identity: the provider, and the provider's id of the person. */
interface Key {
  provider: string
  subject: string
}

export async function findIdentity(
  db: Transaction,
  { provider, subject }: Key,
): Promise<{ userId: string; issuer: string } | undefined> {
  const { rows } = await db.query<{ user_id: string; issuer: string | null }>(
    `select user_id, identity_data ->> 'iss' as issuer from auth.identities where provider = $1 and provider_id = $2`,
    [provider, subject],
  )
  const row = rows[0]
  return row && { userId: row.user_id, issuer: row.issuer ?? '' }
}

/** Locks the account with this address, so that the decision about it stays valid. */
export async function lockOwner(
  db: Transaction,
  email: string,
): Promise<{ userId: string; isProven: boolean } | undefined> {
  const { rows } = await db.query<{ id: string; is_proven: boolean }>(
    `select id, email_proven_at is not null as is_proven from auth.users where email = $1 for update`,
    [email],
  )
  const row = rows[0]
  return row && { userId: row.id, isProven: row.is_proven }
}

/** @throws unique_violation (SQLSTATE 23505) when another request was first */
export async function insertIdentity(
  db: Transaction,
  userId: string,
  provider: string,
  identity: ProviderIdentity,
): Promise<void> {
  await db.query(
    `insert into auth.identities (user_id, provider, provider_id, identity_data, last_sign_in_at)
      values ($1, $2, $3, $4, now())`,
    [userId, provider, identity.subject, JSON.stringify(identityData(identity))],
  )
}

/**
 * Creates an account for a new person. It gets the email address only if the provider vouches for it.
 *
 * @throws unique_violation (SQLSTATE 23505) when another request was first
 */
export async function insertAccount(db: Transaction, identity: ProviderIdentity): Promise<string> {
  const email = identity.isEmailVerified ? identity.email : undefined
  const { rows } = await db.query<{ id: string }>(
    `insert into auth.users (email, email_confirmed_at, email_proven_at, user_metadata)
      values ($1, case when $1::text is not null then now() end, case when $1::text is not null then now() end, $2)
      returning id`,
    [email ?? null, JSON.stringify(metadataFrom(identity))],
  )
  const id = rows[0]?.id
  if (id === undefined) throw new Error('an inserted account was not returned')
  return id
}

/**
 * Stores a sign-in: the provider's current data, and what they prove about the account. An account without an address
 * gets the one that the provider vouches for, unless another account has it.
 */
export async function noteSignIn(
  db: Transaction,
  userId: string,
  provider: string,
  identity: ProviderIdentity,
): Promise<void> {
  await db.query(
    `update auth.identities set identity_data = $3, last_sign_in_at = now(), updated_at = now()
      where provider = $1 and provider_id = $2`,
    [provider, identity.subject, JSON.stringify(identityData(identity))],
  )
  const email = identity.isEmailVerified ? identity.email : undefined
  await db.query(
    `update auth.users set last_sign_in_at = now(),
        email = case when email is null and not exists (select 1 from auth.users o where o.email = $2) then $2 else email end
      where id = $1`,
    [userId, email ?? null],
  )
  await db.query(
    `update auth.users set email_confirmed_at = coalesce(email_confirmed_at, now()),
        email_proven_at = coalesce(email_proven_at, now()) where id = $1 and email = $2`,
    [userId, email ?? null],
  )
}

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
