import {
  infiniteQueryOptions,
  keepPreviousData,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { tables } from '#web/client.ts'
import { searchAlternatives } from './search-alternatives.ts'
import type { LinkRow } from '#web/database.ts'
import { linkColumns } from './link-row-columns.ts'

const pageSize = 50

interface LinkPage {
  links: LinkRow[]
  /** Where the next page starts, or null at the end; it stays when rows are taken out of the page. */
  next: LinkRow | null
}
type LinkPages = InfiniteData<LinkPage, LinkRow | null>

/** The links of an account, newest first, a page at a time from the last row seen: as quick at the end as at the start. */
export function linksQuery(userId: string, search: string) {
  return infiniteQueryOptions({
    queryKey: ['links', userId, search],
    queryFn: async ({ pageParam, signal }): Promise<LinkPage> => {
      const links = await (search === ''
        ? listLinks(userId, pageParam, signal)
        : searchLinks(search, pageParam, signal))
      return { links, next: links.length < pageSize ? null : (links.at(-1) ?? null) }
    },
    initialPageParam: null as LinkRow | null,
    getNextPageParam: (lastPage) => lastPage.next,
    // The rows found so far stay while the next letters are looked for.
    placeholderData: keepPreviousData,
    // Looking again at a long list would fetch every page of it again.
    refetchOnWindowFocus: (query) => (query.state.data?.pages.length ?? 0) <= 2,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}

async function listLinks(
  userId: string,
  after: LinkRow | null,
  signal: AbortSignal,
): Promise<LinkRow[]> {
  let query = tables.from('shortened_urls').select(linkColumns).eq('user_id', userId)
  if (after !== null) {
    // The first condition lets the index find the place, the second steps over rows of the same instant.
    query = query
      .lte('created_at', after.created_at)
      .or(`created_at.lt."${after.created_at}",id.lt.${after.id}`)
  }
  const { data } = await query
    .order('created_at', { ascending: false })
    .order('id', { ascending: false })
    .limit(pageSize)
    .abortSignal(signal)
    .throwOnError()
  return data
}

/** A page of what any of the alternatives finds, in the order of the list. */
async function searchLinks(
  typed: string,
  after: LinkRow | null,
  signal: AbortSignal,
): Promise<LinkRow[]> {
  const found = await Promise.all(
    searchAlternatives(typed).map((search) => findLinks(search, after, signal)),
  )
  const [first = [], ...others] = found
  if (others.length === 0) return first
  const byId = new Map(found.flat().map((link) => [link.id, link]))
  return [...byId.values()].toSorted(newestFirst).slice(0, pageSize)
}

function newestFirst(a: LinkRow, b: LinkRow): number {
  return placeOf(a) < placeOf(b) ? 1 : -1
}

/** The database leaves out zeros at the end of a fraction of a second. */
function placeOf({ created_at, id }: LinkRow): string {
  const [, second = '', fraction = ''] = /^(.{19})\.?(\d*)/.exec(created_at) ?? []
  return `${second}.${fraction.padEnd(6, '0')} ${id}`
}

async function findLinks(
  search: string,
  after: LinkRow | null,
  signal: AbortSignal,
): Promise<LinkRow[]> {
  const { data } = await tables
    .rpc('search_links', {
      _query: search,
      _before_created_at: after?.created_at ?? null,
      _before_id: after?.id ?? null,
      _limit: pageSize,
    })
    .abortSignal(signal)
    .throwOnError()
  return data
}

/** Changes rows in every loaded list; `change` returns null to take a row out. */
export function changeLoadedLinks(
  client: QueryClient,
  change: (link: LinkRow) => LinkRow | null,
): void {
  client.setQueriesData<LinkPages>({ queryKey: ['links'] }, (loaded) =>
    loaded === undefined
      ? loaded
      : {
          ...loaded,
          pages: loaded.pages.map((page) => ({
            ...page,
            links: page.links.map(change).filter((link) => link !== null),
          })),
        },
  )
}

/** After a link was added: lists start again from their first page. */
export function forgetLoadedLinks(client: QueryClient): void {
  client.removeQueries({ queryKey: ['links'] })
}
