import type { BucketPolicy } from '../primitives/token-bucket.ts'
import type { Transaction } from './database.ts'

/** Present tokens of the bucket. A clock that went back refills nothing. */
const refilled = `least($2::float8, b.tokens
  + greatest(0, extract(epoch from clock_timestamp() - b.at)::float8) * $2::float8 / $3::float8)`

/**
 * Takes one token from a bucket that all servers share (`auth.budgets`). The lock on its row, kept until the transaction
 * ends, makes concurrent callers queue; when the transaction rolls back, the token is back.
 *
 * @returns undefined when allowed, else the seconds to wait (at least 1)
 */
export async function takeToken(
  db: Transaction,
  policy: BucketPolicy,
  key: string,
): Promise<number | undefined> {
  const values = valuesOf(policy, key)
  const { rowCount } = await db.query(
    `insert into auth.budgets as b (key, tokens, at) values ($1, $2::float8 - 1, clock_timestamp())
      on conflict (key) do update set tokens = ${refilled} - 1, at = clock_timestamp() where ${refilled} >= 1`,
    values,
  )
  if (rowCount !== 0) return undefined
  const { rows } = await db.query<{ wait: number }>(
    `select ceil((1 - ${refilled}) * $3::float8 / $2::float8)::int as wait from auth.budgets b where b.key = $1`,
    values,
  )
  return Math.max(1, rows[0]?.wait ?? 1)
}

/** Puts back a token that was taken by an earlier transaction. */
export async function returnToken(
  db: Transaction,
  policy: BucketPolicy,
  key: string,
): Promise<void> {
  await db.query(
    `update auth.budgets b set tokens = least($2::float8, ${refilled} + 1), at = clock_timestamp() where b.key = $1`,
    valuesOf(policy, key),
  )
}

/** True while the bucket has a token left; takes none. */
export async function hasToken(
  db: Transaction,
  policy: BucketPolicy,
  key: string,
): Promise<boolean> {
  const { rows } = await db.query<{ has_token: boolean }>(
    `select ${refilled} >= 1 as has_token from auth.budgets b where b.key = $1`,
    valuesOf(policy, key),
  )
  return rows[0]?.has_token ?? true
}

function valuesOf({ name, burst, windowSeconds }: BucketPolicy, key: string): unknown[] {
  return [`${name} ${key}`, burst, windowSeconds]
}
