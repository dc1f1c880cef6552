import { accessNotices, mailTooSoon } from '#domain/texts/account-texts.ts'
import { sessionEndedNotice } from '#domain/texts/session-texts.ts'

const words = new Map<string | undefined, string>([
  ['mfa_verification_failed', accessNotices.codeRefused.title],
  ['reauthentication_not_valid', accessNotices.codeRefused.title],
  ['mfa_challenge_expired', accessNotices.codeExpired.title],
  // An error of the client, without a code.
  ['AuthSessionMissingError', sessionEndedNotice.title],
])

/** Why the auth door refused, in words for people where the protocol's own are for programs. */
export function authRefusal(error: {
  name?: string
  code?: string | undefined
  message: string
}): string {
  const seconds = /after (\d+) seconds?\b/.exec(error.message)?.[1]
  if (error.code === 'over_email_send_rate_limit' && seconds !== undefined)
    return mailTooSoon(Number(seconds))
  return words.get(error.code ?? error.name) ?? error.message
}
