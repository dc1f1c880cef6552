import type { ApiKey } from '#domain/access/api-keys.ts'
import { randomUUID } from 'node:crypto'
import { enqueueMail, wasMailed } from '../../mail/outbox.ts'
import type { Transaction } from '../../postgres/database.ts'
import { ifDefined } from '../../primitives/if-defined.ts'
import type { AuthCall } from '../call.ts'
import type { Factor, User } from '../users.ts'
import {
  type EmailTokenKind,
  emailTokens,
  issueOneTimeToken,
  type NewToken,
} from './one-time-tokens.ts'

interface TokenEmail extends NewToken {
  kind: keyof typeof emailTokens

  /** For the email to the old address, when it is to change. */
  newEmail?: string
  /** See the template confirm-sign-up. */
  needsPassword?: boolean
}

/** Queues an email with a new link and code. After the commit, `mail.wake()` sends it at once. */
export async function emailToken(
  db: Transaction,
  call: AuthCall,
  { newEmail = '', needsPassword = false, ...wanted }: TokenEmail,
): Promise<void> {
  const { config, secretBox } = call.deps
  const { kind, email, redirectTo } = wanted
  const { template, sentAt } = emailTokens[kind]
  const { secret, code } = await issueOneTimeToken(db, secretBox, wanted)
  await db.query(`update auth.users set ${sentAt} = now() where id = $1`, [wanted.userId])
  const link = linkFor(config, kind, secret, redirectTo)
  const data = { link, code, newEmail, needsPassword }
  await enqueueMail(db, { key: `${kind}:${randomUUID()}`, template, recipient: email, data })
}

/** After any email to an address, a notice that anybody can trigger is not sent for this long. */
const noticePauseSeconds = 60

/**
 * Tells the owner of an address about an attempt to use it for another account. Not right after another email, so that a
 * stranger cannot fill the inbox.
 *
 * @param email of an account that this transaction has locked: of two notices at once one is sent
 */
export async function emailAlreadyRegistered(
  db: Transaction,
  call: AuthCall,
  email: string,
): Promise<void> {
  if (call.deps.config.rateLimits && (await wasMailed(db, email, noticePauseSeconds))) return
  const key = `already-registered:${randomUUID()}`
  await enqueueMail(db, { key, template: 'already-registered', recipient: email, data: {} })
}

/** Tells the owner that the password was changed; at most once a minute. */
export async function emailPasswordChanged(
  db: Transaction,
  { id, email }: Pick<User, 'id' | 'email'>,
): Promise<void> {
  const key = `password-changed:${id}:${Math.floor(Date.now() / 60_000)}`
  await ifDefined(email, (recipient) =>
    enqueueMail(db, { key, template: 'password-changed', recipient, data: {} }),
  )
}

/** Tells the owner that the account has a new second factor, or one less. */
export async function emailFactorNews(
  db: Transaction,
  { email }: Pick<User, 'email'>,
  template: 'factor-added' | 'factor-removed',
  { id, factor_type: factor }: Pick<Factor, 'id' | 'factor_type'>,
): Promise<void> {
  await ifDefined(email, (recipient) =>
    enqueueMail(db, { key: `${template}:${id}`, template, recipient, data: { factor } }),
  )
}

/** Tells the owner that a program can now use the account. */
export async function emailApiKeyCreated(
  db: Transaction,
  { email }: Pick<User, 'email'>,
  { id, hint, scopes }: Pick<ApiKey, 'id' | 'hint' | 'scopes'>,
): Promise<void> {
  const key = `api-key-created:${id}`
  await ifDefined(email, (recipient) =>
    enqueueMail(db, { key, template: 'api-key-created', recipient, data: { hint, scopes } }),
  )
}

/** The types of the protocol (`EmailOtpType`), with the tokens that each accepts here. */
const kindsByType = new Map<string, readonly EmailTokenKind[]>([
  ['signup', ['confirmation']],
  ['invite', ['invite']],
  ['magiclink', ['magiclink', 'confirmation', 'operator']],
  ['recovery', ['recovery']],
  ['email_change', ['email_change_current', 'email_change_new']],
  ['email', ['magiclink', 'confirmation']],
])

/** @returns an empty list for an unknown type */
export function kindsOf(type: string): readonly EmailTokenKind[] {
  return kindsByType.get(type) ?? []
}

const linkTypes: Partial<Record<EmailTokenKind, string>> = {
  confirmation: 'signup',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  operator: 'magiclink',
}

/** The protocol's type in the address of a link. */
export function linkType(kind: EmailTokenKind): string {
  return linkTypes[kind] ?? kind
}

/** The address in an email: a page of ours with a button, which leads on to `redirectTo`. */
export function linkFor(
  config: { publicUrl: string },
  kind: EmailTokenKind,
  secret: string,
  redirectTo: string,
): string {
  const url = new URL('/auth/v1/verify', config.publicUrl)
  url.searchParams.set('token', secret)
  url.searchParams.set('type', linkType(kind))
  url.searchParams.set('redirect_to', redirectTo)
  return url.href
}
