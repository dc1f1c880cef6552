import { randomUUID } from 'node:crypto'
import { enqueueMail, type Mail, wasMailed } from '../../mail/outbox.ts'
import type { Transaction } from '../../postgres/database.ts'
import type { AuthCall } from '../call.ts'
import type { Challenge } from '../flow-states.ts'
import { linkFor } from './links.ts'
import { issueOneTimeToken, type MailedKind, type OneTimeSecrets } from './one-time-tokens.ts'

interface Letter {
  userId: string
  kind: MailedKind
  /** Where it goes. */
  email: string
  redirectTo: string
  challenge?: Challenge | undefined
  /** For the letter to the old address of one that is to change. */
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
} as const satisfies Record<MailedKind, string>

/** Mails somebody a new link and code, once the transaction is through; {@link sendSoon} then makes it quick. */
export async function mailToken(db: Transaction, call: AuthCall, letter: Letter): Promise<void> {
  const { config, secretBox } = call.context
  const secrets = await issueOneTimeToken(db, secretBox, letter)
  await db.query(`update auth.users set ${sentColumns[letter.kind]} = now() where id = $1`, [
    letter.userId,
  ])
  const link = linkFor(config, letter.kind, secrets.secret, letter.redirectTo)
  await enqueueMail(db, mailOf(letter, secrets, link))
}

function mailOf(letter: Letter, { code }: OneTimeSecrets, link: string): Mail {
  const about = { key: `${letter.kind}:${randomUUID()}`, recipient: letter.email }
  switch (letter.kind) {
    case 'confirmation': {
      const { needsPassword = false } = letter
      return { ...about, template: 'confirm-sign-up', data: { link, code, needsPassword } }
    }
    case 'invite':
      return { ...about, template: 'invite', data: { link, code } }
    case 'recovery':
      return { ...about, template: 'recovery', data: { link, code } }
    case 'magiclink':
      return { ...about, template: 'magic-link', data: { link, code } }
    case 'email_change_current': {
      const { newEmail = '' } = letter
      return { ...about, template: 'email-change-old', data: { link, code, newEmail } }
    }
    case 'email_change_new':
      return { ...about, template: 'email-change-new', data: { link, code } }
    case 'reauthentication':
      return { ...about, template: 'reauthentication', data: { code } }
  }
}

/** Seconds after any mail in which a notice that anybody can set off is not worth another. */
const quiet = 60

/**
 * Tells somebody that their address has an account, when somebody wants to make another one with it; not right after
 * another mail, so that a stranger who asks for all there is does not fill their inbox.
 *
 * @param email whose account this transaction has locked: of two notices at once one goes out
 */
export async function mailAlreadyRegistered(
  db: Transaction,
  call: AuthCall,
  email: string,
): Promise<void> {
  if (call.context.config.rateLimits && (await wasMailed(db, email, quiet)))
    return mailNobody(db, call, email)
  const key = `already-registered:${randomUUID()}`
  await enqueueMail(db, { key, template: 'already-registered', recipient: email, data: {} })
}

/** Tells somebody that their password was changed; at most once a minute. */
export async function mailPasswordChanged(
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

/** Tells somebody that their account has one more second factor. */
export async function mailFactorAdded(
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

/** Tells somebody that a second factor of theirs is gone; one that never counted is not worth a mail. */
export async function mailFactorRemoved(
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

/**
 * The work of a mail for an address that gets none, so that whoever asked cannot tell by the time that it took: as many
 * writes as {@link mailToken} has, and a commit that has to reach the disk.
 */
export async function mailNobody(
  db: Transaction,
  { context }: AuthCall,
  email: string,
): Promise<void> {
  const key = `mail nobody ${context.secretBox.digest(email, 'mail budgets')}`
  for (const tokens of [0, 1, 2]) {
    await db.query(
      `insert into auth.budgets (key, tokens) values ($1, $2) on conflict (key) do update set tokens = $2, at = now()`,
      [key, tokens],
    )
  }
}

/** Does something and takes it back. */
export async function inVain(db: Transaction, work: () => Promise<unknown>): Promise<void> {
  await db.query('savepoint in_vain')
  await work()
  await db.query('rollback to savepoint in_vain')
}

/** Not at once: sending must not slow down the answer, which goes out alike whether there is a mail or not. */
export function sendSoon({ context }: AuthCall): void {
  setTimeout(() => context.mail.wake(), 50).unref()
}
