import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { AdminLinkRow, BlockRow, LinkLookUp } from '#web/api/database-admin.ts'

const pageSize = 50

/** The links that a look-up finds, newest first. */
export function foundLinksQuery(by: LinkLookUp, value: string) {
  return infiniteQueryOptions({
    queryKey: ['admin', 'links', by, value],
    queryFn: ({ pageParam, signal }): Promise<AdminLinkRow[]> =>
      answerOf(
        tables.rpc('admin_find_links', {
          _by: by,
          _value: value,
          _before_created_at: pageParam?.created_at ?? null,
          _before_id: pageParam?.id ?? null,
          _limit: pageSize,
        }),
        signal,
      ),
    initialPageParam: null as AdminLinkRow | null,
    getNextPageParam: (last) => (last.length < pageSize ? null : last.at(-1)),
  })
}

/** The newest links and the busiest ones. */
export const latestLinksQuery = queryOptions({
  queryKey: ['admin', 'links', 'latest'],
  queryFn: ({ signal }) => answerOf(tables.rpc('admin_latest_links', {}), signal),
})

export const blocksQuery = queryOptions({
  queryKey: ['admin', 'blocks'],
  queryFn: ({ signal }): Promise<BlockRow[]> => answerOf(tables.rpc('admin_blocks', {}), signal),
})
