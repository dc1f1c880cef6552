import { dollars } from '#domain/money.ts'
import type { AuditFacts, AuditRow } from '#web/api/database-admin.ts'

export interface AuditChange {
  name: string
  /** Null where there was nothing, or is nothing now. */
  before: string | null
  after: string | null
}

/**
 * Differences between two states, in words; of a state without the other, all of it. The state after an act may
 * name only the changed facts: the facts that it does not name are unchanged.
 */
export function auditChanges(before: AuditFacts, after: AuditFacts): AuditChange[] {
  const keys = Object.keys(after ?? before ?? {})
  return keys.flatMap((key) => {
    const change = { before: valueOf(key, before), after: valueOf(key, after) }
    return change.before === change.after ? [] : [{ name: nameOf(key), ...change }]
  })
}

/** The actor: a person, or the server itself under one of its database roles. */
export function actorWords({ actor_email, actor_role }: AuditRow): string {
  return actor_email ?? (/^(hoplet_|system$)/.test(actor_role) ? 'system' : actor_role)
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
