import { createHash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import type { Transaction } from '../../postgres/database.ts'
import type { Challenge } from '../flow-states.ts'
import type { SecretBox } from '../secret-box.ts'

/** What a mailed link or code is good for. */
export type MailedKind =
  | 'confirmation'
  | 'recovery'
  | 'magiclink'
  | 'invite'
  | 'email_change_current'
  | 'email_change_new'
  | 'reauthentication'

/** A link's secret, and the six digits that do the same where a link cannot be followed. */
export interface OneTimeSecrets {
  secret: string
  code: string
}

interface NewToken {
  userId: string
  kind: MailedKind
  /** Where it is sent to: the code is good together with this address only. */
  email: string
  /** What allowedRedirect() gave. */
  redirectTo: string
  challenge?: Challenge | undefined
}

/** A token that came back and is good. */
export interface MailedToken {
  id: string
  user_id: string
  kind: MailedKind
  email: string
  redirect_to: string | null
  code_challenge: string | null
  code_challenge_method: Challenge['method'] | null
}

const minute = 60
const hour = 60 * minute
const lifetimes: Record<MailedKind, number> = {
  confirmation: hour,
  invite: 24 * hour,
  recovery: hour,
  magiclink: hour,
  email_change_current: hour,
  email_change_new: hour,
  reauthentication: 10 * minute,
}

/** Wrong codes that a token forgives. Its link stays good: nobody can spoil it by guessing. */
const patience = 5

/** Makes the one token of its kind that an account has; an older one is dead from now. Only hashes are kept. */
export async function issueOneTimeToken(
  db: Transaction,
  box: SecretBox,
  { userId, kind, email, redirectTo, challenge }: NewToken,
): Promise<OneTimeSecrets> {
  // The prefix is GoTrue's: it says that the link gives a code and not a session.
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
      lifetimes[kind],
    ],
  )
  return { secret, code }
}

const columns =
  'id, user_id, kind, email, redirect_to, code_challenge, code_challenge_method, code_hash'

/** Looks at the token of a link; {@link takeToken} uses it up. */
export async function findBySecret(
  db: Transaction,
  kinds: readonly MailedKind[],
  secret: string,
): Promise<MailedToken | undefined> {
  const { rows } = await db.query<MailedToken>(
    `select ${columns} from auth.one_time_tokens where secret_hash = $1 and kind = any ($2) and expires_at > now()`,
    [hashSecret(secret), kinds],
  )
  return rows[0]
}

/** Looks at the token of a link that was good when it was pressed, and may since have become too old. */
export async function findById(db: Transaction, id: string): Promise<MailedToken | undefined> {
  const { rows } = await db.query<MailedToken>(
    `select ${columns} from auth.one_time_tokens where id = $1`,
    [id],
  )
  return rows[0]
}

/**
 * Looks for the token that `code` was mailed to `email` for. A wrong code is counted on what it might have meant, so the
 * caller must commit also when nothing is found.
 *
 * @param of only this account's
 * @returns isGuess: the code was wrong and could have been right, because one is on its way
 */
export async function findByCode(
  db: Transaction,
  box: SecretBox,
  {
    kinds,
    email,
    code,
    of,
  }: { kinds: readonly MailedKind[]; email: string; code: string; of?: string },
): Promise<{ token: MailedToken | undefined; isGuess: boolean }> {
  const { rows } = await db.query<MailedToken & { code_hash: string }>(
    `select ${columns} from auth.one_time_tokens
      where email = $1 and kind = any ($2) and expires_at > now() and failures < $3 and ($4::uuid is null or user_id = $4)
      for update`,
    [email, kinds, patience, of ?? null],
  )
  const token = rows.find((row) => isSame(row.code_hash, hashCode(box, row.kind, email, code)))
  if (!token) {
    await db.query('update auth.one_time_tokens set failures = failures + 1 where id = any ($1)', [
      rows.map(({ id }) => id),
    ])
  }
  return { token, isGuess: !token && rows.length > 0 }
}

/** Uses a token up: of two who come at the same time one gets false. */
export async function takeToken(
  db: Transaction,
  { id }: Pick<MailedToken, 'id'>,
): Promise<boolean> {
  const { rowCount } = await db.query('delete from auth.one_time_tokens where id = $1', [id])
  return rowCount === 1
}

/** Makes every link and code that is on its way to somebody worthless, and gives up a change of address. */
export async function dropTokens(db: Transaction, userId: string): Promise<void> {
  await db.query('delete from auth.one_time_tokens where user_id = $1', [userId])
  await db.query(
    `update auth.users set new_email = null, email_change_agreed = false, email_change_proven = false
      where id = $1 and new_email is not null`,
    [userId],
  )
}

function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Keyed, because a million codes are tried in no time. */
function hashCode(box: SecretBox, kind: MailedKind, email: string, code: string): string {
  return box.digest(code, `mailed code: ${kind} ${email}`)
}

function isSame(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right))
}
