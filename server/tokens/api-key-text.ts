import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sha256 } from '../primitives/sha256.ts'

/**
 * An API key is `hop_`, 43 characters for 256 random bits, and 6 for the CRC-32 of those 43: a mistyped or invented key is
 * refused without a query, and scanners for leaked secrets recognize one (docs/security.md). All characters are base 62.
 */
const shape = /^hop_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/
const prefix = 'hop_'
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export interface ApiKeyText {
  /** Shown once, and never stored. */
  text: string
  hash: Buffer
  /** The first characters of the random part. */
  hint: string
}

export function newApiKeyText(): ApiKeyText {
  const random = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43)
  const text = prefix + random + checksum(random)
  return { text, hash: hashApiKey(text), hint: random.slice(0, 4) }
}

/** True for texts in the form of an API key, wrong ones included. */
export function looksLikeApiKey(text: string): boolean {
  return text.startsWith(prefix)
}

/** False for a key that was never made by {@link newApiKeyText}. */
export function isApiKeyText(text: string): boolean {
  const [, random, sum] = shape.exec(text) ?? []
  return random !== undefined && checksum(random) === sum
}

export function hashApiKey(text: string): Buffer {
  return sha256(text)
}

function checksum(random: string): string {
  return toBase62(BigInt(crc32(random)), 6)
}

function toBase62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; rest > 0n; rest /= 62n) text = (digits[Number(rest % 62n)] ?? '') + text
  return text.padStart(length, '0')
}
