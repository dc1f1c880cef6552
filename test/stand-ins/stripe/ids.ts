import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** An id as Stripe makes them: a prefix and letters and digits from the system's random numbers. */
export function newId(prefix: string, length = 24): string {
  let id = ''
  while (id.length < length) {
    // Bytes past the last whole round of the alphabet would favor its first letters.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && id.length < length) id += alphabet[byte % alphabet.length] ?? ''
    }
  }
  return `${prefix}_${id}`
}

/** A reference is an id, or the object when it was expanded. */
export function idOf(reference: string | { id: string } | null | undefined): string | null {
  return typeof reference === 'string' ? reference : (reference?.id ?? null)
}
