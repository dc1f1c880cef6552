import { timingSafeEqual } from 'node:crypto'

/** Compares two secrets in a time that does not depend on where they differ. Lengths are not secret. */
export function constantTimeEqual(left: string | Uint8Array, right: string | Uint8Array): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
