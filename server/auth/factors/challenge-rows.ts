import { limitKey } from '../../http/client-address.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { CeremonyState } from './webauthn.ts'

export interface ChallengeRow {
  id: string
  /** The network that requested it (limitKey of its address): no other network may answer. */
  address: string | null
  /** Phone: the keyed digest of the code that was sent. */
  code_hash: string | null
  webauthn: CeremonyState | null
  /** Answered, five minutes old, or five times wrong. */
  is_over: boolean
}

/** Wrong answers that one challenge tolerates. */
const maxFailures = 5

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @returns when it expires. Old challenges stay for a day, because they count wrong answers (wrong-codes.ts). */
export async function insertChallenge(
  db: Transaction,
  challenge: {
    id: string
    factorId: string
    address: string
    codeHash?: string
    webauthn?: CeremonyState
  },
): Promise<Date> {
  await db.query(
    `delete from auth.challenges where factor_id = $1 and created_at < now() - interval '1 day'`,
    [challenge.factorId],
  )
  const { rows } = await db.query<{ expires_at: Date }>(
    `insert into auth.challenges (id, factor_id, address, code_hash, webauthn)
      values ($1, $2, $3, $4, $5) returning expires_at`,
    [
      challenge.id,
      challenge.factorId,
      limitKey(challenge.address),
      challenge.codeHash ?? null,
      challenge.webauthn ? JSON.stringify(challenge.webauthn) : null,
    ],
  )
  if (!rows[0]) throw new Error('an inserted challenge was not returned')
  return rows[0].expires_at
}

export async function findChallenge(
  db: Transaction,
  factorId: string,
  id: string,
): Promise<ChallengeRow | undefined> {
  if (!uuid.test(id)) return undefined
  const { rows } = await db.query<ChallengeRow>(
    `select id, address, code_hash, webauthn,
        verified_at is not null or expires_at <= now() or failures >= ${maxFailures} as is_over
      from auth.challenges where id = $1 and factor_id = $2`,
    [id, factorId],
  )
  return rows[0]
}

/** A challenge accepts one right answer. */
export async function markAnswered(db: Transaction, id: string): Promise<void> {
  await db.query('update auth.challenges set verified_at = now() where id = $1', [id])
}

export async function markFailed(db: Transaction, id: string): Promise<void> {
  await db.query('update auth.challenges set failures = failures + 1 where id = $1', [id])
}

export async function deleteChallenge(db: Transaction, id: string): Promise<void> {
  await db.query('delete from auth.challenges where id = $1', [id])
}
