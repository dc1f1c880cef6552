import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import type { DestinationFinding, LinkHealth } from '#web/api/database.ts'

const pageSize = 100

/** All findings of an account, and the last checks of its links. */
export const healthKey = (userId: string) => ['link-health', userId] as const

/** A page of links with a finding of this kind, or of any, the newest first. */
export function readLinkHealth(
  finding: DestinationFinding | null,
  after: string | null,
  signal?: AbortSignal,
): Promise<LinkHealth> {
  const request = tables.rpc('link_health', { _finding: finding, _after: after, _limit: pageSize })
  return answerOf(request, signal)
}

export function linkHealthQuery(userId: string, finding: DestinationFinding | null) {
  return infiniteQueryOptions({
    queryKey: [...healthKey(userId), 'list', finding],
    queryFn: ({ pageParam, signal }) => readLinkHealth(finding, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ links }) => (links.length < pageSize ? null : (links.at(-1)?.id ?? null)),
  })
}

/** The last check of the destination of a link; null before the first one. */
export function destinationCheckQuery(userId: string, id: string, url: string) {
  return queryOptions({
    queryKey: [...healthKey(userId), 'one', id, url],
    queryFn: ({ signal }) => readDestinationCheck(id, signal),
  })
}

export function readDestinationCheck(id: string, signal?: AbortSignal) {
  return answerOf(tables.rpc('destination_check', { _link: id }), signal)
}
