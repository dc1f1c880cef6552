import type { QueryClient } from '@tanstack/react-query'
import { tables } from '#web/api/client.ts'

/** Changes of the uses of a popup: links by id, on or off, and the bio page if it changes. */
interface PopupUsesChange {
  userId: string
  popupId: string
  links: ReadonlyMap<string, boolean>
  bioPage: boolean | undefined
}

/** Addresses with more ids are longer than some proxies let through. */
const maxIds = 50

/** Uses a popup on links and on the bio page, or takes it off them. @throws when one of the changes is not taken */
export async function savePopupUses(
  client: QueryClient,
  { userId, popupId, links, bioPage }: PopupUsesChange,
): Promise<void> {
  const idsOf = (on: boolean) => [...links].filter(([, isOn]) => isOn === on).map(([id]) => id)
  try {
    for (const ids of chunksOf(idsOf(true)))
      await tables
        .from('shortened_urls')
        .update({ show_popup: true, popup_id: popupId })
        .in('id', ids)
        .eq('user_id', userId)
        .throwOnError()
    for (const ids of chunksOf(idsOf(false)))
      await tables
        .from('shortened_urls')
        .update({ show_popup: false, popup_id: null })
        .in('id', ids)
        .eq('user_id', userId)
        // A link that shows another popup by now keeps it.
        .eq('popup_id', popupId)
        .throwOnError()
    if (bioPage !== undefined)
      await tables
        .from('bio_pages')
        .update({ popup_id: bioPage ? popupId : null })
        .eq('user_id', userId)
        .throwOnError()
  } finally {
    for (const key of ['popups', 'links', 'link', 'popup-links', 'bio-popup', 'bio-page'])
      void client.invalidateQueries({ queryKey: [key] })
  }
}

function chunksOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / maxIds)
  return Array.from({ length: count }, (_, i) => ids.slice(i * maxIds, (i + 1) * maxIds))
}
