import { createHmac } from 'node:crypto'
import type { VisitorKeys } from './visitor-keys.ts'

/**
 * Numbers in [0, 100) that stay the same for a visitor, a link and a key on a UTC day, and say nothing about any other: no cookie, and
 * other numbers the next day.
 *
 * @param visitor the hash of a {@link VisitorIdentity}
 * @returns the number of a key, which is that of a rule or split: see `shareOf` in domain/visits/reading/visit-reading.ts
 */
export type SharesOfVisitor = (visitor: Uint8Array, linkId: string) => (key: string) => number

/** A link may have fifty rules, so one keyed hash of the visitor is the secret seed of all their numbers. */
export function createVisitorShares(keys: Pick<VisitorKeys, 'current'>): SharesOfVisitor {
  return (visitor, linkId) => {
    const digest = createHmac('sha256', keys.current().key)
      .update(`shares\n${linkId}\n`)
      .update(visitor)
      .digest()
    const [first, second] = [digest.readInt32LE(0), digest.readInt32LE(4)]
    return (key) => (numberOf(key, first, second) / 2 ** 32) * 100
  }
}

/** A hash of 32 bits in two lanes, each with a secret start: FNV-1a, and the finalizer of MurmurHash3. */
function numberOf(key: string, first: number, second: number): number {
  let [a, b] = [first, second]
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i)
    a = Math.imul(a ^ code, 0x01_00_01_93)
    b = Math.imul(b ^ code, 0x01_00_01_93)
  }
  return mixed(a ^ mixed(b)) >>> 0
}

function mixed(word: number): number {
  let bits = Math.imul(word ^ (word >>> 16), 0x85_eb_ca_6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2_b2_ae_35)
  return bits ^ (bits >>> 16)
}
