import * as z from 'zod'
import { readEmailAddress } from '#domain/forms/email-address.ts'
import { canonicalPassword } from '#domain/forms/passwords.ts'
import { authErrors } from './errors.ts'
import list from './protection/common-passwords.txt?raw'

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
const unstorable = /\0|\p{Surrogate}/u

/** Clients send null as well as nothing. */
export const optionalText = z.string().nullish()

/** Metadata that people write about themselves: stored as it is, at most 4 KiB, because every access token carries it. */
export const metadata = z
  .record(z.string(), z.unknown())
  .refine(
    (data) => Buffer.byteLength(JSON.stringify(data)) <= 4_096,
    'must not be larger than 4 KiB',
  )
  .refine((data) => isStorable(data), 'has characters that cannot be stored')

/** Caps the hashing work that an attacker can cause. */
export const maxPasswordBytes = 1_024

/** @returns the address as accounts store it. @throws {AuthError} 400 validation_failed */
export function normalizeEmail(value: string): string {
  const address = readEmailAddress(value)
  if (address === undefined)
    throw authErrors.invalid('Unable to validate email address: invalid format')
  return address.toLowerCase()
}

/** An address to find an account by: one that is not valid is compared too, and finds none. */
export function claimedEmail(typed: string): string {
  return (readEmailAddress(typed) ?? typed.trim()).toLowerCase()
}

/**
 * Checks a new password. An existing one is never checked, only compared.
 *
 * @param minLength in UTF-16 units, as the form counts them
 * @throws {AuthError} 422 weak_password, 400 validation_failed over 1,024 bytes
 */
export function checkNewPassword(typed: string, minLength: number): void {
  const password = canonicalPassword(typed)
  if (isTooLong(password)) throw authErrors.passwordTooLong()
  if (unstorable.test(password))
    throw authErrors.invalid('Password has characters that cannot be stored')
  if (password.length < minLength) throw authErrors.weakPassword(minLength)
  if (isCommonPassword(password)) throw authErrors.commonPassword()
}

/** Length check for existing passwords too: they were counted in their canonical spelling, and a decomposed one is longer. */
export function isTooLong(password: string): boolean {
  return Buffer.byteLength(canonicalPassword(password)) > maxPasswordBytes
}

/** Whether PostgreSQL can store the value, with all its keys and strings. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !unstorable.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => isStorable(key) && isStorable(inner))
}

// Where the list is from, and under which licences: common-passwords.notices.txt.

/** The most popular passwords, in lower case: a capital letter makes none of them harder to guess. */
const commonPasswords: ReadonlySet<string> = new Set(list.trimEnd().split('\n'))

/** Rows of keys on common keyboard layouts. */
const rows =
  '01234567890 qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm azertyuiop qsdfghjklm wxcvbn'.split(
    ' ',
  )
const runs = rows.flatMap((row) => [row, Array.from(row).reverse().join('')])

/** Letters that signs replace, in this order. */
const [signs, letters] = ['@$!013457', 'asioleast'] as const

/**
 * On the list as it is or with its digits and signs read as letters, a run over a row of keys, or a short row of one
 * character. Nothing else is refused: a common word with something added may be a good password.
 */
function isCommonPassword(password: string): boolean {
  const plain = password.toLowerCase()
  const read = plain.replace(/[@$!013457]/g, (sign) => letters[signs.indexOf(sign)] ?? sign)
  return (
    commonPasswords.has(plain) ||
    commonPasswords.has(read) ||
    runs.some((run) => run.includes(plain)) ||
    /^(.)\1{0,14}$/u.test(password)
  )
}
