import * as z from 'zod'
import { authErrors } from './errors.ts'
import { isCommonPassword } from './protection/common-passwords.ts'

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u

/** Free data about a person, from the person: kept as it is, at most 4 KiB, because every access token carries it. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (data) => Buffer.byteLength(JSON.stringify(data)) <= 4_096,
    'must not be larger than 4 KiB',
  )
  .refine((data) => isStorable(data), 'has characters that cannot be kept')

/** Nobody's password is longer; hashing or comparing more would be work for a stranger. */
export const longestPassword = 1_024
const address = z.email().max(254)

/** @returns the address as accounts keep it. @throws {AuthError} 400 validation_failed */
export function normalizeEmail(value: string): string {
  const parsed = address.safeParse(value.trim().toLowerCase())
  if (!parsed.success) {
    throw authErrors.invalid('Unable to validate email address: invalid format')
  }
  return parsed.data
}

/**
 * Judges a new password; an old one is never judged, only compared.
 *
 * @param least in UTF-16 units, as the form counts them
 * @throws {AuthError} 422 weak_password, 400 validation_failed over 1,024 bytes
 */
export function checkNewPassword(password: string, least: number): void {
  if (Buffer.byteLength(password) > longestPassword) throw authErrors.passwordTooLong()
  if (unstorable.test(password))
    throw authErrors.invalid('Password has characters that cannot be kept')
  if (password.length < least) throw authErrors.weakPassword(least)
  if (isCommonPassword(password)) throw authErrors.commonPassword()
}

/** Whether PostgreSQL can keep it, all of its keys and texts included. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !unstorable.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}
