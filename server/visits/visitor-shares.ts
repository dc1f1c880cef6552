import { createHmac } from 'node:crypto'
import type { VisitorKeys } from './visitor-keys.ts'

/**
 * A number in [0, 100) that stays the same for a visitor, a link and a key on a UTC day, and says nothing about any other: no cookie, and
 * another number the next day.
 *
 * @param visitor the hash of a {@link VisitorIdentity}
 * @param key of the rule or split, see `shareOf` in domain/visits/conditions.ts
 */
export type ShareOfVisitor = (visitor: Uint8Array, linkId: string, key: string) => number

export function createVisitorShares(keys: Pick<VisitorKeys, 'current'>): ShareOfVisitor {
  return (visitor, linkId, key) => {
    const digest = createHmac('sha256', keys.current().key)
      .update(`share\n${linkId}\n${key}\n`)
      .update(visitor)
      .digest()
    return (digest.readUInt32LE() / 2 ** 32) * 100
  }
}
