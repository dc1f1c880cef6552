import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { notices } from '#domain/texts/texts.ts'
import { linkCountQuery } from '#web/api/account-counts.ts'
import { tables } from '#web/api/client.ts'
import { notifyUndoable } from '#web/ui/toasts/notify-actions.tsx'
import { notifyError, notifyInfo } from '#web/ui/toasts/notify.ts'
import type { LinkRow } from '#web/api/database.ts'
import { changeLoadedLinks } from './links-query.ts'

const undoMs = 6_000

// Links that have left the screen: deleted when the time to undo is over, or deleted. They outlive the screen that took them.
let leaving: ReadonlyMap<string, 'counted' | 'uncounted'> = new Map()
const listeners = new Set<() => void>()

function setLeaving(id: string, state: 'counted' | 'uncounted' | undefined): void {
  const others = [...leaving].filter(([other]) => other !== id)
  leaving = new Map(state === undefined ? others : [...others, [id, state]])
  for (const notify of listeners) notify()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The ids of links that are not to be shown, because they are about to be deleted or have been, and whether the exact count still has them. */
export function useLeavingLinks(): ReadonlyMap<string, 'counted' | 'uncounted'> {
  return useSyncExternalStore(subscribe, () => leaving)
}

/**
 * Deletes a link that nobody has clicked: nothing is lost with it, so nothing is asked, and it can be taken back for six
 * seconds (docs/decisions/0072). Until then it works.
 */
export function useRemoveUnclicked(): (link: LinkRow) => void {
  const client = useQueryClient()
  return useCallback(
    (link) => {
      setLeaving(link.id, link.archived_at === null ? 'counted' : 'uncounted')
      const timer = setTimeout(() => {
        withdraw()
        // A deleted link stays hidden: a list that was asked for before may still bring it.
        void remove(client, link).then((isGone) =>
          setLeaving(link.id, isGone ? 'uncounted' : undefined),
        )
      }, undoMs)
      const withdraw = notifyUndoable(notices.deleted, {
        durationMs: undoMs,
        onUndo: () => {
          clearTimeout(timer)
          setLeaving(link.id, undefined)
        },
      })
    },
    [client],
  )
}

async function remove(client: QueryClient, link: LinkRow): Promise<boolean> {
  const { id, user_id, archived_at } = link
  const { data, error } = await tables
    .from('shortened_urls')
    .delete()
    .eq('id', id)
    // A click that came meanwhile would be lost without a question.
    .eq('click_count', 0)
    .select('id')
  if (error !== null) {
    notifyError(notices.deleteFailed)
    return false
  }
  if (data.length === 0) {
    notifyInfo(notices.deletedTooLate)
    await client.invalidateQueries({ queryKey: ['links'] })
    return false
  }
  changeLoadedLinks(client, (loaded) => (loaded.id === id ? null : loaded))
  if (archived_at === null)
    client.setQueryData(linkCountQuery(user_id).queryKey, (count) => count && count - 1)
  void client.invalidateQueries({ queryKey: ['account'] })
  return true
}
