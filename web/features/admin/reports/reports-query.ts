import { infiniteQueryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { ReportRow, ReportState } from '#web/api/database-admin.ts'

export const reportsPerPage = 50

/** Reports in one state, or in any (null), newest first. */
export function reportsQuery(state: ReportState | null) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'reports', state],
    queryFn: ({ pageParam, signal }): Promise<ReportRow[]> =>
      answerOf(
        tables.rpc('admin_reports', {
          _state: state,
          _before_created_at: pageParam?.created_at ?? null,
          _before_id: pageParam?.id ?? null,
          _limit: reportsPerPage,
        }),
        signal,
      ),
    initialPageParam: null as ReportRow | null,
    getNextPageParam: (last) => (last.length < reportsPerPage ? null : last.at(-1)),
  })
}
