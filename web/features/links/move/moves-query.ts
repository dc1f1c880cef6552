import { queryOptions, useQuery } from '@tanstack/react-query'
import { answerOf, tables } from '#web/api/client.ts'
import { useSession } from '#web/session/session.ts'
import { useRights } from '#web/session/space/rights.ts'
import { spacesQuery } from '#web/spaces/spaces-query.ts'

/** An account that links can move to. */
export interface MoveTarget {
  readonly id: string
  readonly name: string
}

/** The other accounts in which the person may write; none where they may move no links. */
export function useMoveTargets(userId: string): readonly MoveTarget[] {
  const session = useSession()
  const may = useRights()
  const personId = session.status === 'signed-in' ? session.personId : ''
  const spaces = useQuery({ ...spacesQuery(personId), enabled: personId !== '' }).data ?? []
  if (!may('links:write')) return []
  const own = personId === userId ? [] : [{ id: personId, name: 'Your own account' }]
  const writable = spaces.filter(({ id, role }) => id !== userId && role !== 'viewer')
  return [...own, ...writable.map(({ id, name }) => ({ id, name }))]
}

/** Losses of a move of these links, and reasons against it. */
export function movePreviewQuery(userId: string, links: readonly string[], target: string) {
  return queryOptions({
    queryKey: ['move-preview', userId, target, links],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      answerOf(tables.rpc('preview_move', { _links: [...links], _to_account: target }), signal),
  })
}
