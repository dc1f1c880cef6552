import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { notices } from '#domain/texts/texts.ts'
import { tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { notifyError, notifySuccess } from '#web/ui/toasts/notify.ts'
import { changeLoadedLinks, dropMovedLinks } from './links-query.ts'

/** The ids of one request stand in its address. */
const maxPerRequest = 100

/** Archives links, or brings them back to the list. They redirect as before. */
export function useArchiveLinks() {
  const client = useQueryClient()
  return useCallback(
    (ids: readonly string[], isArchived: boolean) => void archive(client, ids, isArchived),
    [client],
  )
}

/** Switches links off, or on again. */
export function useSetAllActive() {
  const client = useQueryClient()
  return useCallback(
    async (ids: readonly string[], isActive: boolean) => {
      const saved = await updateLinks(client, ids, { is_disabled: !isActive })
      if (!saved) return notifyError(notices.updateFailed)
      notifySuccess(activeNotice(ids.length, isActive))
    },
    [client],
  )
}

function activeNotice(count: number, isActive: boolean) {
  const notice = isActive ? notices.linkOn : notices.linkOff
  return count === 1 ? notice : { ...notice, description: `${count} links changed` }
}

async function archive(client: QueryClient, ids: readonly string[], isArchived: boolean) {
  const archived_at = isArchived ? new Date().toISOString() : null
  const saved = await updateLinks(client, ids, { archived_at })
  if (!saved) return notifyError(notices.updateFailed)
  notifySuccess(archiveNotice(ids.length, isArchived))
}

function archiveNotice(count: number, isArchived: boolean) {
  if (!isArchived) return notices.linkUnarchived
  if (count === 1) return notices.linkArchived
  return { ...notices.linkArchived, description: `${count} links still redirect` }
}

/** Gives several links the same columns, in loaded lists too. @returns whether all were saved */
export async function updateLinks(
  client: QueryClient,
  ids: readonly string[],
  change: Partial<
    Pick<LinkRow, 'archived_at' | 'tags' | 'is_disabled' | 'show_popup' | 'popup_id'>
  >,
): Promise<boolean> {
  const changed = new Map<string, LinkRow>()
  let isSaved = true
  for (let from = 0; from < ids.length && isSaved; from += maxPerRequest) {
    const { data, error } = await tables
      .from('shortened_urls')
      .update(change)
      .in('id', ids.slice(from, from + maxPerRequest))
      .select('*')
    for (const link of data ?? []) changed.set(link.id, link)
    isSaved = error === null
  }
  changeLoadedLinks(client, (link) => changed.get(link.id) ?? link)
  dropMovedLinks(client)
  void client.invalidateQueries({ queryKey: ['account'] })
  return isSaved
}

/** The stored tags of links; null when they cannot be read. */
export async function readTags(
  ids: readonly string[],
): Promise<Pick<LinkRow, 'id' | 'tags'>[] | null> {
  const found: Pick<LinkRow, 'id' | 'tags'>[] = []
  for (let from = 0; from < ids.length; from += maxPerRequest) {
    const { data } = await tables
      .from('shortened_urls')
      .select('id, tags')
      .in('id', ids.slice(from, from + maxPerRequest))
    if (data === null) return null
    found.push(...data)
  }
  return found
}
