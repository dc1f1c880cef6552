import { randomUUID } from 'node:crypto'
import { enqueueMail, type Mail, wasMailed } from '../../mail/outbox.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import {
  type EmailTokenKind,
  issueOneTimeToken,
  type NewToken,
  type OneTimeSecrets,
} from './one-time-tokens.ts'

interface TokenEmail extends NewToken {
  /** For the email to the old address, when it is to change. */
  newEmail?: string
  /** See the template confirm-sign-up. */
  needsPassword?: boolean
}

const sentColumns = {
  confirmation: 'confirmation_sent_at',
  invite: 'invited_at',
  recovery: 'recovery_sent_at',
  magiclink: 'recovery_sent_at',
  email_change_current: 'email_change_sent_at',
  email_change_new: 'email_change_sent_at',
  reauthentication: 'reauthentication_sent_at',
} as const satisfies Record<EmailTokenKind, string>

/** Queues an email with a new link and code. After the commit, `mail.wake()` sends it at once. */
export async function emailToken(
  db: Transaction,
  call: AuthCall,
  wanted: TokenEmail,
): Promise<void> {
  const { config, secretBox } = call.deps
  const secrets = await issueOneTimeToken(db, secretBox, wanted)
  await db.query(`update auth.users set ${sentColumns[wanted.kind]} = now() where id = $1`, [
    wanted.userId,
  ])
  const link = linkFor(config, wanted.kind, secrets.secret, wanted.redirectTo)
  await enqueueMail(db, mailOf(wanted, secrets, link))
}

function mailOf(wanted: TokenEmail, { code }: OneTimeSecrets, link: string): Mail {
  const { newEmail = '', needsPassword = false } = wanted
  const about = { key: `${wanted.kind}:${randomUUID()}`, recipient: wanted.email }
  switch (wanted.kind) {
    case 'confirmation':
      return { ...about, template: 'confirm-sign-up', data: { link, code, needsPassword } }
    case 'invite':
      return { ...about, template: 'invite', data: { link, code } }
    case 'recovery':
      return { ...about, template: 'recovery', data: { link, code } }
    case 'magiclink':
      return { ...about, template: 'magic-link', data: { link, code } }
    case 'email_change_current':
      return { ...about, template: 'email-change-old', data: { link, code, newEmail } }
    case 'email_change_new':
      return { ...about, template: 'email-change-new', data: { link, code } }
    case 'reauthentication':
      return { ...about, template: 'reauthentication', data: { code } }
  }
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
  user: { id: string; email: string | null },
): Promise<void> {
  if (user.email === null) return
  const key = `password-changed:${user.id}:${Math.floor(Date.now() / 60_000)}`
  await enqueueMail(db, { key, template: 'password-changed', recipient: user.email, data: {} })
}

/** Tells the owner that the account has a new second factor, or one less. */
export async function emailFactorNews(
  db: Transaction,
  user: { email: string | null },
  template: 'factor-added' | 'factor-removed',
  { id, factor_type: factor }: { id: string; factor_type: 'totp' | 'webauthn' | 'phone' },
): Promise<void> {
  if (user.email === null) return
  const key = `${template}:${id}`
  await enqueueMail(db, { key, template, recipient: user.email, data: { factor } })
}

/** The types of the protocol (`EmailOtpType`), with the tokens that each accepts here. */
const kindsByType = new Map<string, readonly EmailTokenKind[]>([
  ['signup', ['confirmation']],
  ['invite', ['invite']],
  ['magiclink', ['magiclink', 'confirmation']],
  ['recovery', ['recovery']],
  ['email_change', ['email_change_current', 'email_change_new']],
  ['email', ['magiclink', 'confirmation']],
])

/** @returns an empty list for an unknown type */
export function kindsOf(type: string): readonly EmailTokenKind[] {
  return kindsByType.get(type) ?? []
}

/** The protocol's type in the address of a link. */
export function linkType(kind: EmailTokenKind): string {
  if (kind === 'confirmation') return 'signup'
  return kind.startsWith('email_change') ? 'email_change' : kind
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
