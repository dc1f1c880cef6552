import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query'
import type { ClickDimension } from '#domain/hits.ts'
import {
  type HitSelection,
  isPlanRefusal,
  isUnknownScope,
  readHits,
  readIntegrity,
  readReport,
  type ReportScope,
  type TimeBucket,
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

export function totalsQuery(userId: string, selection: HitSelection, part: Part = 'figures') {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, part, 'total', selection),
    queryFn: ({ signal }) => readReport('total', selection, { signal }),
  })
}

export function seriesQuery(
  userId: string,
  selection: HitSelection,
  bucket: TimeBucket,
  part: Part = 'figures',
) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, part, bucket, selection),
    queryFn: ({ signal }) => readReport(bucket, selection, { signal }),
  })
}

export function weekQuery(userId: string, selection: HitSelection) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, 'lists', 'weekhour', selection),
    queryFn: ({ signal }) => readReport('weekhour', selection, { signal }),
  })
}

/** The values with the most clicks. */
export function topQuery(
  userId: string,
  selection: HitSelection,
  dimension: ClickDimension,
  limit: number,
) {
  return queryOptions({
    ...common,
    queryKey: keyOf(userId, 'lists', dimension, selection, limit),
    queryFn: ({ signal }) => readReport(dimension, selection, { limit, signal }),
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
