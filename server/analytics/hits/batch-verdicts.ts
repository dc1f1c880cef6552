import type { HitVerdict } from '#domain/reports/hits.ts'
import { keyOf, type RecentVisits, type VisitOfVisitor } from './recent-visits.ts'

export interface VerdictDeps {
  recent: RecentVisits
  /** Whether the visitor is the owner's own browser. */
  isOwn: (visitor: number, userId: string) => boolean
}

/** Decides the verdicts of one batch, which is remembered once it is stored. */
export function createBatchVerdicts({ recent, isOwn }: VerdictDeps) {
  const seen = new Map<number, VisitOfVisitor>()
  return {
    /** @param verdict of the client alone */
    of(verdict: HitVerdict, visit: VisitOfVisitor, userId: string): HitVerdict {
      if (verdict !== 'counted' || visit.visitor === 0) return verdict
      if (isOwn(visit.visitor, userId)) return 'own'
      const key = keyOf(visit)
      const isRepeat = recent.isRepeat(visit, seen.get(key)?.at)
      seen.set(key, visit)
      return isRepeat ? 'repeat' : verdict
    },
    remember(): void {
      for (const visit of seen.values()) recent.remember(visit)
    },
  }
}
