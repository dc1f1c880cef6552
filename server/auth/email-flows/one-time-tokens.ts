import { randomBytes, randomInt } from 'node:crypto'
import type { TemplateName } from '../../mail/templates/templates.ts'
import type { Transaction } from '../../postgres/database.ts'
import { firstRow } from '../../postgres/rows.ts'
import { hasToken, takeToken } from '../../postgres/token-bucket.ts'
import { constantTimeEqual } from '../../primitives/constant-time.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import type { BucketPolicy } from '../../primitives/token-bucket.ts'
import type { AuthCall } from '../call.ts'
import type { Challenge } from '../flow-states.ts'
import type { SecretBox } from '../secret-box.ts'

/** Purpose of an emailed link or code: the template of its email, and where the account notes when it was sent. */
export const emailTokens = {
  confirmation: { template: 'confirm-sign-up', sentAt: 'confirmation_sent_at' },
  invite: { template: 'invite', sentAt: 'invited_at' },
  recovery: { template: 'recovery', sentAt: 'recovery_sent_at' },
  magiclink: { template: 'magic-link', sentAt: 'recovery_sent_at' },
  email_change_current: { template: 'email-change-old', sentAt: 'email_change_sent_at' },
  email_change_new: { template: 'email-change-new', sentAt: 'email_change_sent_at' },
  reauthentication: { template: 'reauthentication', sentAt: 'reauthentication_sent_at' },
} as const satisfies Record<string, { template: TemplateName; sentAt: string }>

/** `operator`: a sign-in link that was made on the machine (commands/make-sign-in-link.ts). No email has it, and it has no code. */
export type EmailTokenKind = keyof typeof emailTokens | 'operator'

export interface NewToken {
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
  /** PKCE challenge of the client, if it sent one. */
  challenge: Challenge | null
}

/** An hour, unless another lifetime is given here. */
const lifetimeMinutes: Partial<Record<EmailTokenKind, number>> = {
  invite: 24 * 60,
  reauthentication: 10,
  operator: 10,
}

/** Lifetime of a six-digit code. Links last longer because they cannot be guessed. */
const codeLifetimeMinutes = 10

/** Wrong codes that a token tolerates. Its link stays valid, so that guessing cannot void it. */
const maxFailures = 5

/**
 * Issues the one token of its kind that an account has; an older one is void from now. Only hashes are stored.
 *
 * @returns the secret of the link, and the six digits that do the same where a link cannot be followed
 */
export async function issueOneTimeToken(
  db: Transaction,
  box: SecretBox,
  wanted: NewToken,
): Promise<{ secret: string; code: string }> {
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const codeHash = hashCode(box, wanted.kind, wanted.email, code)
  return { secret: await issueLink(db, wanted, codeHash), code }
}

/** Issues a link that has no code: the hash in its place is of nothing. @returns the secret of the link */
export async function issueLink(
  db: Transaction,
  { userId, kind, email, redirectTo, challenge }: NewToken,
  codeHash = randomBytes(32).toString('hex'),
): Promise<string> {
  // GoTrue's prefix: the link gives a code and not a session.
  const secret = `${challenge ? 'pkce_' : ''}${randomBytes(32).toString('base64url')}`
  await db.query(
    `insert into auth.one_time_tokens (user_id, kind, email, secret_hash, code_hash, redirect_to, code_challenge,
        code_challenge_method, expires_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(mins => $9))
      on conflict (user_id, kind) do update set id = gen_random_uuid(), email = excluded.email,
        secret_hash = excluded.secret_hash, code_hash = excluded.code_hash, failures = 0,
        redirect_to = excluded.redirect_to, code_challenge = excluded.code_challenge,
        code_challenge_method = excluded.code_challenge_method, created_at = now(), expires_at = excluded.expires_at`,
    [
      userId,
      kind,
      email,
      sha256Hex(secret),
      codeHash,
      redirectTo,
      challenge?.code_challenge,
      challenge?.code_challenge_method,
      lifetimeMinutes[kind] ?? 60,
    ],
  )
  return secret
}

const columns = `id, user_id, kind, email, redirect_to, code_hash, case when code_challenge is not null then
  jsonb_build_object('code_challenge', code_challenge, 'code_challenge_method', code_challenge_method) end as challenge`

/** Finds the token of a link; {@link consumeToken} consumes it. */
export function findBySecret(
  db: Transaction,
  kinds: readonly EmailTokenKind[],
  secret: string,
): Promise<EmailToken | undefined> {
  return firstRow(
    db,
    `select ${columns} from auth.one_time_tokens where secret_hash = $1 and kind = any ($2) and expires_at > now()`,
    [sha256Hex(secret), kinds],
  )
}

/** Finds the token of a link that was valid when it was pressed, and may have expired since. */
export function findById(db: Transaction, id: string): Promise<EmailToken | undefined> {
  return firstRow(db, `select ${columns} from auth.one_time_tokens where id = $1`, [id])
}

/** Wrong codes for one address, or for one signed-in person. Requesting new codes does not get a guesser any further. */
const wrongCodes: BucketPolicy = { name: 'mail code', burst: 20, windowSeconds: 86_400 }

interface GivenCode {
  kinds: readonly EmailTokenKind[]
  email: string
  code: string
  /** Only this account's tokens. Anyone may name an address, but only this person can use up the allowed wrong codes. */
  of?: string
}

/**
 * Finds the token of the `code` that was sent to `email`. A wrong code counts as a failure of every token that it could have
 * meant, so the caller must commit also when nothing is found.
 */
export async function findByCode(
  db: Transaction,
  { deps }: Pick<AuthCall, 'deps'>,
  { kinds, email, code, of }: GivenCode,
): Promise<EmailToken | undefined> {
  const { secretBox, config } = deps
  const target = secretBox.digest(of === undefined ? email : `user ${of}`, 'mail budgets')
  const mayTry = !config.rateLimits || (await hasToken(db, wrongCodes, target))
  if (!mayTry) deps.rateLimits.countRefusal(wrongCodes)
  const { rows } = await db.query<EmailToken & { code_hash: string }>(
    `select ${columns} from auth.one_time_tokens
      where email = $1 and kind = any ($2) and expires_at > now() and failures < $3 and ($4::uuid is null or user_id = $4)
        and created_at > now() - make_interval(mins => $5)
      for update`,
    [email, kinds, maxFailures, of, codeLifetimeMinutes],
  )
  const token = rows.find((row) =>
    constantTimeEqual(row.code_hash, hashCode(secretBox, row.kind, email, code)),
  )
  if (!token && rows.length > 0) {
    await db.query('update auth.one_time_tokens set failures = failures + 1 where id = any ($1)', [
      rows.map(({ id }) => id),
    ])
    if (config.rateLimits) await takeToken(db, wrongCodes, target)
  }
  return mayTry ? token : undefined
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

/** Keyed: all million codes could be hashed in a moment. */
function hashCode(box: SecretBox, kind: EmailTokenKind, email: string, code: string): string {
  return box.digest(code, `mailed code: ${kind} ${email}`)
}
