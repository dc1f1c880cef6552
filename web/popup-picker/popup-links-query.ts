import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { tables } from '#web/client.ts'
import type { LinkRow } from '#web/database.ts'

/** A link as the dialog shows it. */
export type PickedLink = Pick<LinkRow, 'id' | 'short_code' | 'original_url' | 'popup_id'>

const columns = 'id,short_code,original_url,popup_id'
const shownLinks = 20

/** Links that a popup can be used on: those that show it already, then the newest; or what a search finds. */
export function popupLinksQuery(userId: string, popupId: string, search: string) {
  return queryOptions({
    queryKey: ['popup-links', userId, popupId, search],
    queryFn: async ({ signal }): Promise<PickedLink[]> =>
      search === '' ? listLinks(userId, popupId, signal) : findLinks(search, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}

async function listLinks(
  userId: string,
  popupId: string,
  signal: AbortSignal,
): Promise<PickedLink[]> {
  const own = () =>
    tables
      .from('shortened_urls')
      .select(columns)
      .eq('user_id', userId)
      .order('created_at', { ascending: false })
      .order('id', { ascending: false })
      .limit(shownLinks)
      .abortSignal(signal)
      .throwOnError()
  const [using, newest] = await Promise.all([own().eq('popup_id', popupId), own()])
  return [...new Map([...using.data, ...newest.data].map((link) => [link.id, link])).values()]
}

async function findLinks(search: string, signal: AbortSignal): Promise<PickedLink[]> {
  const { data } = await tables
    .rpc('search_links', { _query: search, _limit: shownLinks })
    .abortSignal(signal)
    .throwOnError()
  return data
}

/** The bio page of an account and the popup that it shows; null where there is none. */
export function bioPopupQuery(userId: string) {
  return queryOptions({
    queryKey: ['bio-popup', userId],
    queryFn: async ({ signal }) => {
      const { data } = await tables
        .from('bio_pages')
        .select('id,slug,popup_id')
        .eq('user_id', userId)
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
    gcTime: 0,
  })
}
