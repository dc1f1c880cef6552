import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { oneRowOf, tables } from '#web/api/client.ts'
import { type FoundLink, newestLinks, searchLinks } from '#web/api/link-search.ts'

const shownLinks = 20

/** Links that a popup can be used on: those that show it already, then the newest; or the results of a search. */
export function popupLinksQuery(userId: string, popupId: string, search: string) {
  return queryOptions({
    queryKey: ['popup-links', userId, popupId, search],
    queryFn: async ({ signal }): Promise<FoundLink[]> => {
      const using = newestLinks(userId, shownLinks).eq('popup_id', popupId).abortSignal(signal)
      const [first, found] = await Promise.all([
        search === '' ? using.throwOnError() : undefined,
        searchLinks({ userId, search, limit: shownLinks }, signal),
      ])
      const links = [...(first?.data ?? []), ...found]
      return [...new Map(links.map((link) => [link.id, link])).values()]
    },
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}

/** The bio page of an account and the popup that it shows; null where there is none. */
export function bioPopupQuery(userId: string) {
  return queryOptions({
    queryKey: ['bio-popup', userId],
    queryFn: ({ signal }) =>
      oneRowOf(
        tables.from('bio_pages').select('id,slug,domain,popup_id').eq('user_id', userId),
        signal,
      ),
    gcTime: 0,
  })
}
