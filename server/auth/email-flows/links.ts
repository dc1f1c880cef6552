import type { EmailTokenKind } from './one-time-tokens.ts'

/** The types of the protocol (`EmailOtpType`), with the tokens that each accepts here. */
const kindsByType: Record<string, readonly EmailTokenKind[]> = {
  signup: ['confirmation'],
  invite: ['invite'],
  magiclink: ['magiclink', 'confirmation'],
  recovery: ['recovery'],
  email_change: ['email_change_current', 'email_change_new'],
  email: ['magiclink', 'confirmation'],
}

/** The protocol's type in the address of a link. */
export const linkTypes = {
  confirmation: 'signup',
  invite: 'invite',
  magiclink: 'magiclink',
  recovery: 'recovery',
  email_change_current: 'email_change',
  email_change_new: 'email_change',
  reauthentication: 'reauthentication',
} as const satisfies Record<EmailTokenKind, string>

/** @returns an empty list for an unknown type */
export function kindsOf(type: string): readonly EmailTokenKind[] {
  return Object.hasOwn(kindsByType, type) ? (kindsByType[type] ?? []) : []
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
  url.searchParams.set('type', linkTypes[kind])
  url.searchParams.set('redirect_to', redirectTo)
  return url.href
}
