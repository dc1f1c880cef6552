import * as z from 'zod'
import { authErrors } from './errors.ts'
import { isCommonPassword } from './protection/common-passwords.ts'

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u

/** What people say about themselves: stored as it is, at most 4 KiB, because every access token carries it. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (data) => Buffer.byteLength(JSON.stringify(data)) <= 4_096,
    'must not be larger than 4 KiB',
  )
  .refine((data) => isStorable(data), 'has characters that cannot be stored')

/** Caps the hashing work that an attacker can cause. */
export const maxPasswordBytes = 1_024
const emailAddress = z.email().max(254)

/** @returns the address as accounts store it. @throws {AuthError} 400 validation_failed */
export function normalizeEmail(value: string): string {
  const parsed = emailAddress.safeParse(value.trim().toLowerCase())
  if (!parsed.success) {
    throw authErrors.invalid('Unable to validate email address: invalid format')
  }
  return parsed.data
}

/**
 * Checks a new password. An existing one is never checked, only compared.
 *
 * @param minLength in UTF-16 units, as the form counts them
 * @throws {AuthError} 422 weak_password, 400 validation_failed over 1,024 bytes
 */
export function checkNewPassword(password: string, minLength: number): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) throw authErrors.passwordTooLong()
  if (unstorable.test(password))
    throw authErrors.invalid('Password has characters that cannot be stored')
  if (password.length < minLength) throw authErrors.weakPassword(minLength)
  if (isCommonPassword(password)) throw authErrors.commonPassword()
}

/** Whether PostgreSQL can store the value, with all its keys and strings. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !unstorable.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}
