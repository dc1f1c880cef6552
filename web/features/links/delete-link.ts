import { useQueryClient, type QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { notices } from '#domain/texts.ts'
import { runBeforeSignOut } from '#web/account/session.ts'
import { tables } from '#web/client.ts'
import { notifyError, notifyUndoable } from '#web/ui/notify.ts'
import { changeLoadedLinks } from './links-query.ts'

// A deleted link can't be made again as it was: its clicks and its place in the quota are gone. So a delete is sent
// only when its notice has gone away without Undo; until then the link is hidden here and works for visitors.
const undoMilliseconds = 5000

let hidden: ReadonlySet<string> = new Set()
const unsent = new Map<string, () => Promise<void>>()
const listeners = new Set<() => void>()

function setHidden(id: string, hide: boolean): void {
  const next = new Set(hidden)
  if (hide) next.add(id)
  else next.delete(id)
  hidden = next
  for (const listener of listeners) listener()
}

async function sendUnsent(): Promise<void> {
  await Promise.all([...unsent.values()].map((send) => send()))
}

window.addEventListener('pagehide', () => void sendUnsent())
runBeforeSignOut(sendUnsent)

/** The ids of links that are deleted as far as the person can tell. */
export function useHiddenLinks(): ReadonlySet<string> {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => hidden,
  )
}

/** Deletes a link with a few seconds to undo it. */
export function useDeleteLink(): (id: string) => void {
  const client = useQueryClient()
  return (id) => {
    setHidden(id, true)
    const takeAway = notifyUndoable({
      ...notices.deleted,
      milliseconds: undoMilliseconds,
      undo: () => {
        unsent.delete(id)
        setHidden(id, false)
      },
      confirm: () => void unsent.get(id)?.(),
    })
    unsent.set(id, () => {
      unsent.delete(id)
      takeAway()
      return sendDelete(client, id)
    })
  }
}

async function sendDelete(client: QueryClient, id: string): Promise<void> {
  const { error } = await tables.from('shortened_urls').delete().eq('id', id)
  if (error === null) {
    changeLoadedLinks(client, (link) => (link.id === id ? null : link))
    await client.invalidateQueries({ queryKey: ['account'] })
  } else {
    notifyError(notices.deleteFailed)
  }
  setHidden(id, false)
}
