import { accessNotices, mailTooSoon } from '#domain/account-texts.ts'

const words = new Map<string | undefined, string>([
  ['mfa_verification_failed', accessNotices.codeRefused.title],
  ['reauthentication_not_valid', accessNotices.codeRefused.title],
  ['mfa_challenge_expired', accessNotices.codeExpired.title],
])

/** Why the auth door refused, in words for people where the protocol's own are for programs. */
export function authRefusal(error: { code?: string | undefined; message: string }): string {
  const seconds = /after (\d+) seconds?\b/.exec(error.message)?.[1]
  if (error.code === 'over_email_send_rate_limit' && seconds !== undefined)
    return mailTooSoon(Number(seconds))
  return words.get(error.code) ?? error.message
}
