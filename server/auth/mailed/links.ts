import type { MailedKind } from './one-time-tokens.ts'

/** What clients call what they verify (`EmailOtpType`), and what each may mean here. */
const meanings: Record<string, readonly MailedKind[]> = {
  signup: ['confirmation'],
  invite: ['invite'],
  magiclink: ['magiclink', 'confirmation'],
  recovery: ['recovery'],
  email_change: ['email_change_current', 'email_change_new'],
  email: ['magiclink', 'confirmation'],
}

/** How the protocol names a kind in the address of its link. */
export const linkTypes = {
  confirmation: 'signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  reauthentication: 'reauthentication',
} as const satisfies Record<MailedKind, string>

/** @returns nothing for a type that no link or code has */
export function kindsOf(type: string): readonly MailedKind[] {
  return Object.hasOwn(meanings, type) ? (meanings[type] ?? []) : []
}

/** The address that a mail leads to: a page of ours with a button, which then leads on to `redirectTo`. */
export function linkFor(
  config: { publicUrl: string },
  kind: MailedKind,
  secret: string,
  redirectTo: string,
): string {
  const url = new URL('/auth/v1/verify', config.publicUrl)
  url.searchParams.set('token', secret)
  url.searchParams.set('type', linkTypes[kind])
  url.searchParams.set('redirect_to', redirectTo)
  return url.href
}
