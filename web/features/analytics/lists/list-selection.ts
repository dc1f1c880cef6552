import type { ListDimension } from '#domain/reports/hits.ts'
import type { CountedKind } from '#domain/reports/report-answers.ts'
import type { HitSelection } from '#web/clicks/report.ts'
import type { OpenReport } from '../use-report.ts'

/** Every kind of hits; those of archives only where they are switched on. */
export function wholeKinds({ include }: Pick<HitSelection, 'include'>): CountedKind[] {
  return ['repeats', 'own', 'bots', ...(include.includes('imported') ? ['imported' as const] : [])]
}

/** Rows of a whole list. */
export const maxListRows = 1000

/**
 * Filters of a dimension's list. Values of one dimension can be added to each other, so its list is not narrowed by
 * itself; and verdicts are always complete, independent of the switches, but for imported ones.
 */
export function listSelection({ selection }: OpenReport, dimension: ListDimension): HitSelection {
  const { [dimension]: _, ...filters } = selection.filters
  const isWhole = dimension === 'verdict' || dimension === 'bot'
  return { ...selection, filters, ...(isWhole && { include: wholeKinds(selection) }) }
}
