import type { Transaction } from '../../postgres/database.ts'
import type { Factor } from '../users.ts'
import type { StoredCredential } from './webauthn.ts'

/** A factor with its secrets. Never leaves the server: people see {@link Factor}. */
export interface FactorRow {
  id: string
  factor_type: Factor['factor_type']
  status: Factor['status']
  friendly_name: string
  /** TOTP: sealed by the secret box, for the place {@link secretPlace}. */
  secret: string | null
  /** TOTP: the last time step that was accepted. A bigint: the driver gives text. */
  last_step: string | null
  phone: string | null
  credential: StoredCredential | null
  last_challenged_at: Date | null
}

const columns =
  'id, factor_type, status, friendly_name, secret, last_step, phone, credential, last_challenged_at'

/** A setup that was started must be finished within five minutes. */
const current = `(status = 'verified' or created_at > now() - interval '5 minutes')`

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const secretPlace = (factorId: string): string => `factors.secret ${factorId}`

/** A person's own factor; undefined for another person's, and for an expired setup. */
export async function findFactor(
  db: Transaction,
  userId: string,
  id: string | undefined,
): Promise<FactorRow | undefined> {
  if (id === undefined || !uuid.test(id)) return undefined
  const { rows } = await db.query<FactorRow>(
    `select ${columns} from auth.factors where id = $1 and user_id = $2 and ${current}`,
    [id, userId],
  )
  return rows[0]
}

/** All of a person's factors, except for expired setups. */
export async function listFactors(db: Transaction, userId: string): Promise<FactorRow[]> {
  const { rows } = await db.query<FactorRow>(
    `select ${columns} from auth.factors where user_id = $1 and ${current} order by created_at, id`,
    [userId],
  )
  return rows
}

export async function insertFactor(
  db: Transaction,
  userId: string,
  factor: Pick<FactorRow, 'id' | 'factor_type' | 'friendly_name' | 'secret' | 'phone'>,
): Promise<void> {
  await db.query(
    `insert into auth.factors (id, user_id, factor_type, friendly_name, secret, phone)
      values ($1, $2, $3, $4, $5, $6)`,
    [factor.id, userId, factor.factor_type, factor.friendly_name, factor.secret, factor.phone],
  )
}

/** What a right answer changes on its factor. */
export interface FactorProof {
  lastStep?: number
  credential?: StoredCredential
}

/** Stores a right answer. The first one verifies the factor and drops other setups of its type. */
export async function markVerified(
  db: Transaction,
  userId: string,
  factor: FactorRow,
  proof: FactorProof,
): Promise<void> {
  await db.query(
    `update auth.factors set status = 'verified', updated_at = now(), last_step = coalesce($2, last_step),
        credential = coalesce($3, credential), credential_id = coalesce($4, credential_id)
      where id = $1`,
    [
      factor.id,
      proof.lastStep ?? null,
      proof.credential ? JSON.stringify(proof.credential) : null,
      proof.credential?.id ?? null,
    ],
  )
  await db.query(
    `delete from auth.factors where user_id = $1 and factor_type = $2 and status = 'unverified'`,
    [userId, factor.factor_type],
  )
}

export async function markChallenged(db: Transaction, factorId: string): Promise<void> {
  await db.query('update auth.factors set last_challenged_at = now() where id = $1', [factorId])
}

export async function deleteFactor(db: Transaction, id: string): Promise<void> {
  await db.query('delete from auth.factors where id = $1', [id])
}

/** Deletes expired setups, so that their names are free again. */
export async function deleteExpiredFactors(db: Transaction, userId: string): Promise<void> {
  await db.query(`delete from auth.factors where user_id = $1 and not ${current}`, [userId])
}
