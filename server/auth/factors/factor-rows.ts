import type { Transaction } from '../../postgres/database.ts'
import { emailFactorNews } from '../email-flows/emails.ts'
import { lowerSessions } from '../sessions.ts'
import type { Factor } from '../users.ts'
import type { StoredCredential } from './webauthn.ts'
import { orThrow } from '../../primitives/or-throw.ts'
import { authErrors } from '../errors.ts'

/** A factor with its secrets. Never leaves the server: people see {@link Factor}. */
export interface FactorRow {
  id: string
  factor_type: Factor['factor_type']
  status: Factor['status']
  friendly_name: string
  /** TOTP: sealed by the secret box, in the context {@link secretContext}. */
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

export const secretContext = (factorId: string): string => `factors.secret ${factorId}`

/** A person's own factor. @throws {AuthError} 404 for another person's, and for an expired setup */
export async function findFactor(
  db: Transaction,
  userId: string,
  id: string | undefined,
): Promise<FactorRow> {
  const { rows } = await db.query<FactorRow>(
    `select ${columns} from auth.factors where id::text = lower($1) and user_id = $2 and ${current}`,
    [id, userId],
  )
  return orThrow(rows[0], authErrors.factorNotFound)
}

/** All of a person's factors, except for expired setups. */
export async function listFactors(db: Transaction, userId: string): Promise<FactorRow[]> {
  const { rows } = await db.query<FactorRow>(
    `select ${columns} from auth.factors where user_id = $1 and ${current} order by created_at, id`,
    [userId],
  )
  return rows
}

export async function deleteFactor(db: Transaction, id: string): Promise<void> {
  await db.query('delete from auth.factors where id = $1', [id])
}

/** Deletes expired setups, so that their names are free again. */
export async function deleteExpiredFactors(db: Transaction, userId: string): Promise<void> {
  await db.query(`delete from auth.factors where user_id = $1 and not ${current}`, [userId])
}

/** Removes a factor, tells its owner, and lowers the sessions that were raised with it to aal1. */
export async function removeFactor(
  db: Transaction,
  user: { email: string | null },
  factor: FactorRow,
): Promise<void> {
  await deleteFactor(db, factor.id)
  await lowerSessions(db, factor.id)
  if (factor.status === 'verified') await emailFactorNews(db, user, 'factor-removed', factor)
}
