import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import type { ReportBy, ReportGroup } from '#domain/reports/hits.ts'
import {
  type HitSelection,
  isPlanRefusal,
  isUnknownScope,
  readHits,
  readIntegrity,
  readReport,
  type ReportScope,
} from '#web/clicks/report.ts'

/** Queries that move with each click, queries read again less often, and queries of past periods. */
type Part = 'figures' | 'lists' | 'past'

function keyOf(userId: string, part: Part, ...rest: unknown[]) {
  return ['clicks', userId, part, ...rest]
}

const common = {
  placeholderData: keepPreviousData,
  // A refusal of the server repeats.
  retry: (failures: number, error: unknown) =>
    failures < 1 && !isPlanRefusal(error) && !isUnknownScope(error),
} as const

/** @param limit of a dimension: so many values, those with the most clicks */
export function reportQuery(
  userId: string,
  part: Part,
  by: ReportBy | ReportGroup,
  selection: HitSelection,
  limit?: number,
) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, part, by, selection, limit),
    queryFn: ({ signal }) => readReport(by, selection, { limit, signal }),
  })
}

export function hitsQuery(userId: string, selection: HitSelection, limit: number) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, 'lists', 'hits', selection, limit),
    queryFn: ({ signal }) => readHits(selection, { limit, signal }),
  })
}

export function integrityQuery(userId: string, about: ReportScope) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, 'lists', 'integrity', about),
    queryFn: ({ signal }) => readIntegrity(about, signal),
  })
}

/** Reads the visible queries again. */
export function readAgain(client: QueryClient, userId: string, part: Part): Promise<void> {
  return client.refetchQueries({ queryKey: keyOf(userId, part), type: 'active' })
}
