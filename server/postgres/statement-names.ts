import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PoolClient } from 'pg'
import { errorCode } from '../primitives/error-code.ts'

/** A text that comes back this often is worth a plan that PostgreSQL keeps. */
const minUses = 5
/** Plans take memory in each connection, and clients of the table door influence its texts. */
const maxNamesPerConnection = 100
const maxRememberedTexts = 1_000
const maxNamedLength = 8_000

export type StatementNames = ReturnType<typeof createStatementNames>

/**
 * Decides which statements PostgreSQL prepares once per connection. A name belongs to one role: for another, PostgreSQL
 * would plan the row policies again at each change of role. It is made of the text, so that a connection that a pooler
 * shares with other servers has the same statement under it, or none.
 */
export function createStatementNames(onRefusal: () => void) {
  const texts = new LRUCache<string, { name?: string; uses: number }>({ max: maxRememberedTexts })
  const named = new WeakMap<PoolClient, Set<string>>()
  let enabled = true
  return {
    /** @returns the name for this text on this connection; undefined when it should not be kept */
    nameFor(client: PoolClient, role: string, text: string): string | undefined {
      if (!enabled || text.length > maxNamedLength) return undefined
      const key = `${role} ${text}`
      const known = texts.get(key) ?? { uses: 0 }
      known.uses++
      texts.set(key, known)
      if (known.uses < minUses) return undefined
      const names = named.get(client) ?? new Set()
      named.set(client, names)
      known.name ??= `hoplet_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`
      if (!names.has(known.name) && names.size >= maxNamesPerConnection) return undefined
      names.add(known.name)
      return known.name
    },
    /** Stops naming for good when an error says that a pooler gives each transaction another connection. */
    noticeRefusal(error: unknown): void {
      const code = errorCode(error)
      // 26000: the name is unknown; 42P05: it exists already.
      if (!enabled || (code !== '26000' && code !== '42P05')) return
      enabled = false
      onRefusal()
    },
  }
}
