import type { destinationFindings } from '#domain/links/destination-findings.ts'

type Finding = (typeof destinationFindings)[number]
import type { Reached } from './reach-destination.ts'

/** State of a destination between two checks. */
export interface Health {
  finding: Finding | null
  /** When the finding began; without one, the first failed check. */
  since: Date | null
}

export interface NextHealth extends Health {
  reason: string | null
  newUrl: string | null
}

/** From a first failed check to the one that makes a destination dead. */
const suspicionMs = 24 * 3_600_000

/** The finding after one more check: a failure that may pass makes a destination dead only when it lasts for a day. */
export function nextFinding(before: Health, reached: Reached, now: Date): NextHealth {
  const found = (finding: Finding) => ({
    finding,
    since: before.finding === finding && before.since ? before.since : now,
    reason: null,
    newUrl: null,
  })
  switch (reached.kind) {
    case 'answers':
      return { finding: null, since: null, reason: null, newUrl: null }
    case 'moved':
      return { ...found('moved'), newUrl: reached.to }
    case 'dead':
    case 'certificate':
      return { ...found(reached.kind), reason: reached.reason }
    case 'failed': {
      const isSuspect = before.finding === null || before.finding === 'dead'
      const since = (isSuspect ? before.since : null) ?? now
      const isDead = before.finding === 'dead' || now.getTime() - since.getTime() >= suspicionMs
      return { finding: isDead ? 'dead' : null, since, reason: reached.reason, newUrl: null }
    }
  }
}
