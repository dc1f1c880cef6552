import { randomUUID } from 'node:crypto'
import { enqueueMail, type Mail, wasMailed } from '../../mail/outbox.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import type { Challenge } from '../flow-states.ts'
import { linkFor } from './links.ts'
import { issueOneTimeToken, type EmailTokenKind, type OneTimeSecrets } from './one-time-tokens.ts'

interface TokenEmail {
  userId: string
  kind: EmailTokenKind
  /** The recipient. */
  email: string
  redirectTo: string
  challenge?: Challenge | undefined
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
  const about = { key: `${wanted.kind}:${randomUUID()}`, recipient: wanted.email }
  switch (wanted.kind) {
    case 'confirmation': {
      const { needsPassword = false } = wanted
      return { ...about, template: 'confirm-sign-up', data: { link, code, needsPassword } }
    }
    case 'invite':
      return { ...about, template: 'invite', data: { link, code } }
    case 'recovery':
      return { ...about, template: 'recovery', data: { link, code } }
    case 'magiclink':
      return { ...about, template: 'magic-link', data: { link, code } }
    case 'email_change_current': {
      const { newEmail = '' } = wanted
      return { ...about, template: 'email-change-old', data: { link, code, newEmail } }
    }
    case 'email_change_new':
      return { ...about, template: 'email-change-new', data: { link, code } }
    case 'reauthentication':
      return { ...about, template: 'reauthentication', data: { code } }
  }
}

/** After any email to an address, a notice that anybody can trigger is not sent for this long. */
const noticePauseSeconds = 60

/**
 * Tells the owner of an address that somebody tried to use it for another account. Not right after another email, so that a
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

interface FactorNews {
  id: string
  factor_type: 'totp' | 'webauthn' | 'phone'
}

/** Tells the owner that the account has a new second factor. */
export async function emailFactorAdded(
  db: Transaction,
  user: { email: string | null },
  factor: FactorNews,
): Promise<void> {
  if (user.email === null) return
  await enqueueMail(db, {
    key: `factor-added:${factor.id}`,
    template: 'factor-added',
    recipient: user.email,
    data: { factor: factor.factor_type },
  })
}

/** Tells the owner that a verified second factor was removed. */
export async function emailFactorRemoved(
  db: Transaction,
  user: { email: string | null },
  factor: FactorNews & { status: 'unverified' | 'verified' },
): Promise<void> {
  if (user.email === null || factor.status === 'unverified') return
  await enqueueMail(db, {
    key: `factor-removed:${factor.id}`,
    template: 'factor-removed',
    recipient: user.email,
    data: { factor: factor.factor_type },
  })
}
