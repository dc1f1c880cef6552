import { hash } from 'node:crypto'

/** The SHA-256 digest of the UTF-8 text or the bytes. */
export function sha256(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer')
}

/** For secrets that are looked up by their hash: 256 random bits need no slower one. */
export function sha256Hex(text: string): string {
  return hash('sha256', text)
}
