import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { sha256 } from '../../primitives/sha256.ts'
import { randomBytes, randomInt } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'
import type { Challenge } from '../flow-states.ts'
import type { SecretBox } from '../secret-box.ts'

/** What an emailed link or code is for. */
export type EmailTokenKind =
  | 'confirmation'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'

/** The secret of a link, and the six digits that do the same where a link cannot be followed. */
export interface OneTimeSecrets {
  secret: string
  code: string
}

interface NewToken {
  userId: string
  kind: EmailTokenKind
  /** The recipient: the code is valid with this address only. */
  email: string
  /** From allowedRedirect(). */
  redirectTo: string
  challenge?: Challenge | undefined
}

/** A token that came back and is valid. */
export interface EmailToken {
  id: string
  user_id: string
  kind: EmailTokenKind
  email: string
  redirect_to: string | null
  code_challenge: string | null
  code_challenge_method: Challenge['method'] | null
}

const minute = 60
const hour = 60 * minute
const lifetimeSeconds: Record<EmailTokenKind, number> = {
  confirmation: hour,
  invite: 24 * hour,
  recovery: hour,
  magiclink: hour,
  email_change_current: hour,
  email_change_new: hour,
  reauthentication: 10 * minute,
}

/** Wrong codes that a token tolerates. Its link stays valid, so that guessing cannot void it. */
const maxFailures = 5

/** Issues the one token of its kind that an account has; an older one is void from now. Only hashes are stored. */
export async function issueOneTimeToken(
  db: Transaction,
  box: SecretBox,
  { userId, kind, email, redirectTo, challenge }: NewToken,
): Promise<OneTimeSecrets> {
  // GoTrue's prefix: the link gives a code and not a session.
  const secret = `${challenge ? 'pkce_' : ''}${randomBytes(32).toString('base64url')}`
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  await db.query(
    `insert into auth.one_time_tokens (user_id, kind, email, secret_hash, code_hash, redirect_to, code_challenge,
        code_challenge_method, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9))
      on conflict (user_id, kind) do update set id = gen_random_uuid(), email = excluded.email,
        secret_hash = excluded.secret_hash, code_hash = excluded.code_hash, failures = 0,
        redirect_to = excluded.redirect_to, code_challenge = excluded.code_challenge,
        code_challenge_method = excluded.code_challenge_method, created_at = now(), expires_at = excluded.expires_at`,
    [
      userId,
      kind,
      email,
      hashSecret(secret),
      hashCode(box, kind, email, code),
      redirectTo,
      challenge?.challenge ?? null,
      challenge?.method ?? null,
      lifetimeSeconds[kind],
    ],
  )
  return { secret, code }
}

const columns =
  'id, user_id, kind, email, redirect_to, code_challenge, code_challenge_method, code_hash'

/** Finds the token of a link; {@link consumeToken} consumes it. */
export async function findBySecret(
  db: Transaction,
  kinds: readonly EmailTokenKind[],
  secret: string,
): Promise<EmailToken | undefined> {
  const { rows } = await db.query<EmailToken>(
    `select ${columns} from auth.one_time_tokens where secret_hash = $1 and kind = any ($2) and expires_at > now()`,
    [hashSecret(secret), kinds],
  )
  return rows[0]
}

/** Finds the token of a link that was valid when it was pressed, and may have expired since. */
export async function findById(db: Transaction, id: string): Promise<EmailToken | undefined> {
  const { rows } = await db.query<EmailToken>(
    `select ${columns} from auth.one_time_tokens where id = $1`,
    [id],
  )
  return rows[0]
}

/**
 * Finds the token whose `code` was sent to `email`. A wrong code counts as a failure of every token that it could have
 * meant, so the caller must commit also when nothing is found.
 *
 * @param of only this account's tokens
 * @returns isGuess: the code was wrong, and could have been right because a code was sent
 */
export async function findByCode(
  db: Transaction,
  box: SecretBox,
  {
    kinds,
    email,
    code,
    of,
  }: { kinds: readonly EmailTokenKind[]; email: string; code: string; of?: string },
): Promise<{ token: EmailToken | undefined; isGuess: boolean }> {
  const { rows } = await db.query<EmailToken & { code_hash: string }>(
    `select ${columns} from auth.one_time_tokens
      where email = $1 and kind = any ($2) and expires_at > now() and failures < $3 and ($4::uuid is null or user_id = $4)
      for update`,
    [email, kinds, maxFailures, of ?? null],
  )
  const token = rows.find((row) =>
    constantTimeEqual(row.code_hash, hashCode(box, row.kind, email, code)),
  )
  if (!token) {
    await db.query('update auth.one_time_tokens set failures = failures + 1 where id = any ($1)', [
      rows.map(({ id }) => id),
    ])
  }
  return { token, isGuess: !token && rows.length > 0 }
}

/** Consumes a token: of two requests at the same time one gets false. */
export async function consumeToken(
  db: Transaction,
  { id }: Pick<EmailToken, 'id'>,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from auth.one_time_tokens where id = $1', [id])
  return rowCount === 1
}

/** Voids every link and code of an account, and cancels a change of address. */
export async function dropTokens(db: Transaction, userId: string): Promise<void> {
  await db.query('delete from auth.one_time_tokens where user_id = $1', [userId])
  await db.query(
    `update auth.users set new_email = null, email_change_agreed = false, email_change_proven = false
      where id = $1 and new_email is not null`,
    [userId],
  )
}

function hashSecret(secret: string): string {
  return sha256(secret).toString('hex')
}

/** Keyed: all million codes could be hashed in a moment. */
function hashCode(box: SecretBox, kind: EmailTokenKind, email: string, code: string): string {
  return box.digest(code, `mailed code: ${kind} ${email}`)
}
