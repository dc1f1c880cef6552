import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PoolClient } from 'pg'
import { errorCode } from '../primitives/error-code.ts'
import type { Role } from './roles.ts'

/** A text that comes back this often is worth a plan that PostgreSQL keeps. */
const minUses = 5
/** Plans take memory in each connection, and clients of the table door influence its texts. */
const maxNamesPerConnection = 100
const maxRememberedTexts = 1_000
const maxNamedLength = 8_000

export type StatementNames = ReturnType<typeof createStatementNames>

interface Text {
  uses: number
  /** A name belongs to one role: for another, PostgreSQL would plan the row policies again at each change of role. */
  names: Partial<Record<Role, string>>
}

/**
 * Decides which statements PostgreSQL prepares once per connection. Their names are made of role and text, so that a connection
 * that a pooler shares with other servers has the same statement under a name, or none.
 */
export function createStatementNames(onRefusal: () => void) {
  const texts = new LRUCache<string, Text>({ max: maxRememberedTexts })
  const named = new WeakMap<PoolClient, Set<string>>()
  let enabled = true
  const remember = (text: string): Text => {
    const known = { uses: 0, names: {} }
    texts.set(text, known)
    return known
  }
  const noNames = (client: PoolClient): Set<string> => {
    const names = new Set<string>()
    named.set(client, names)
    return names
  }
  return {
    /** @returns the name for this text on this connection; undefined when it should not be kept */
    nameFor(client: PoolClient, role: Role, text: string): string | undefined {
      if (!enabled || text.length > maxNamedLength) return undefined
      const known = texts.get(text) ?? remember(text)
      if (++known.uses < minUses) return undefined
      const name = (known.names[role] ??= nameOf(role, text))
      const names = named.get(client) ?? noNames(client)
      if (!names.has(name) && names.size >= maxNamesPerConnection) return undefined
      names.add(name)
      return name
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

function nameOf(role: Role, text: string): string {
  const digest = createHash('sha256').update(`${role} ${text}`).digest('hex')
  return `hoplet_${digest.slice(0, 32)}`
}
