import { queryOptions } from '@tanstack/react-query'
import { codeOfLink } from '#domain/links/link-address.ts'
import { searchAlternatives, searchLines } from '#domain/links/link-search.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { site } from '#web/site.ts'

export type FoundLink = Pick<
  LinkRow,
  'id' | 'short_code' | 'domain' | 'original_url' | 'title' | 'popup_id' | 'is_disabled'
>

interface LinkSearch {
  userId: string
  search: string
  limit: number
}

const linkColumns = 'id,short_code,domain,original_url,title,popup_id,is_disabled'

/** The newest links of an account with the text in their code, destination or title. */
export function linkSearchQuery({ userId, search, limit }: LinkSearch) {
  return queryOptions({
    queryKey: ['link-search', userId, search, limit],
    staleTime: 5_000,
    queryFn: ({ signal }) => searchLinks({ userId, search, limit }, signal),
    // Without those that do not match: Enter must not choose another link while the search is on its way.
    placeholderData: (previous) => previous?.filter((link) => isFound(link, search)),
  })
}

function isFound(link: FoundLink, text: string): boolean {
  const texts = `${codeOfLink(link)} ${link.original_url} ${link.title ?? ''}`.toLowerCase()
  return searchAlternatives(text, site.ownHosts).some((each) => texts.includes(each.toLowerCase()))
}

export function searchLinks(
  { userId, search, limit }: LinkSearch,
  signal: AbortSignal,
): Promise<FoundLink[]> {
  const request =
    search === ''
      ? newestLinks(userId, limit)
      : tables
          .rpc('list_links', {
            _search: searchLines(search, site.ownHosts),
            _archived: null,
            _limit: limit,
          })
          .select(linkColumns)
  return answerOf(request, signal)
}

/** The newest links of an account, to be narrowed further. */
export function newestLinks(userId: string, limit: number) {
  return tables
    .from('shortened_urls')
    .select(linkColumns)
    .eq('user_id', userId)
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(limit)
}
