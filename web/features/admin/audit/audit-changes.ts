import { dollars } from '#domain/money.ts'
import type { AuditFacts } from '#web/database-admin.ts'

export interface AuditChange {
  name: string
  /** Null where there was nothing, or is nothing now. */
  before: string | null
  after: string | null
}

/**
 * What is different between two states, in words; of a state without the other, all of it. The state after an act may
 * name only what the act changed: the facts that it does not name are unchanged.
 */
export function auditChanges(before: AuditFacts, after: AuditFacts): AuditChange[] {
  const keys = Object.keys(after ?? before ?? {})
  return keys.flatMap((key) => {
    const change = { before: valueOf(key, before), after: valueOf(key, after) }
    return change.before === change.after ? [] : [{ name: nameOf(key), ...change }]
  })
}

function nameOf(key: string): string {
  return key.replace(/_cents$/, '').replaceAll('_', ' ')
}

function valueOf(key: string, facts: AuditFacts): string | null {
  const value = facts?.[key]
  if (value === null || value === undefined) return null
  if (typeof value === 'number' && key.endsWith('_cents')) return dollars(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}
