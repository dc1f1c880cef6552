import { accessNotices } from '#domain/account-texts.ts'

const words = new Map<string | undefined, string>([
  ['mfa_verification_failed', accessNotices.codeRefused.title],
  ['reauthentication_not_valid', accessNotices.codeRefused.title],
  ['mfa_challenge_expired', accessNotices.codeExpired.title],
])

/** Why a code was not taken, in words for people where the protocol's own are for programs. */
export function codeRefusal(error: { code?: string | undefined; message: string }): string {
  return words.get(error.code) ?? error.message
}
