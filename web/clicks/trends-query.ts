import {
  type QueryClient,
  queryOptions,
  useQueries,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query'
import { useMemo } from 'react'
import type { ClickTrend } from '#domain/reports/report-answers.ts'
import { readTrends, type TrendKind } from './report.ts'

export type TrendsById = ReadonlyMap<string, ClickTrend>

const keyOf = (userId: string, kind: TrendKind) => ['click-trends', userId, kind] as const

/** The last 30 days of these rows, in one answer. */
function trendsQuery(userId: string, kind: TrendKind, ids: readonly string[]) {
  return queryOptions({
    queryKey: [...keyOf(userId, kind), ids],
    staleTime: 60_000,
    retry: false,
    queryFn: ({ signal }) => readTrends(kind, ids, signal),
  })
}

/** Asks again for the lines that are on the screen. */
export function reloadTrends(client: QueryClient, userId: string, kind: TrendKind): void {
  void client.invalidateQueries({ queryKey: keyOf(userId, kind) })
}

/** One request for each page of rows. Without an answer, rows stay as they are. */
export function useTrends(
  userId: string,
  kind: TrendKind,
  /** The ids of each page. */
  pages: readonly (readonly string[])[],
  isWanted: boolean,
): TrendsById {
  const results = useQueries({
    queries: pages.map((ids) => ({
      ...trendsQuery(userId, kind, ids),
      enabled: isWanted && ids.length > 0,
    })),
    combine: dataOf,
  })
  const client = useQueryClient()
  return useMemo(() => {
    if (!isWanted) return none
    // A new or removed row changes the query: the other rows keep their lines while the answer loads.
    const before = client.getQueriesData<ClickTrend[]>({ queryKey: keyOf(userId, kind) })
    const known = before.flatMap(([, trends]) => trends ?? [])
    return new Map([...known, ...results.flat()].map((trend) => [trend.id, trend]))
  }, [client, userId, kind, results, isWanted])
}

const none: TrendsById = new Map()

function dataOf(results: UseQueryResult<ClickTrend[]>[]): ClickTrend[][] {
  return results.flatMap(({ data }) => (data === undefined ? [] : [data]))
}
