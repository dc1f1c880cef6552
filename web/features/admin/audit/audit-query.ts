import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { answerOf, tables } from '#web/client.ts'
import type { AuditRow } from '#web/database-admin.ts'

const pageSize = 50

/** The audit log, newest first; a search looks into every part of a line. */
export function auditQuery(search: string) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'audit', search],
    placeholderData: keepPreviousData,
    queryFn: ({ pageParam, signal }): Promise<AuditRow[]> =>
      answerOf(
        tables.rpc('admin_audit', { _before_id: pageParam, _limit: pageSize, _search: search }),
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.length < pageSize ? null : last.at(-1)?.id),
  })
}
