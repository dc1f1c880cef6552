import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type InfiniteData,
  type QueryClient,
} from '@tanstack/react-query'
import { codeOfLink } from '#domain/links/link-address.ts'
import { searchLines } from '#domain/links/link-search.ts'
import { answerOf, tables } from '#web/api/client.ts'
import type { LinkRow } from '#web/api/database.ts'
import { site } from '#web/site.ts'
import { type ListView, ownHost, tagsOfView } from './list/list-view.ts'

/** The first page is soon there; a person who scrolls on gets more at once. */
const firstPageSize = 50
const pageSize = 200

interface LinkPage {
  links: LinkRow[]
  /** Where the next page starts, or null at the end; it stays when rows are taken out of the page. */
  next: LinkRow | null
}
type LinkPages = InfiniteData<LinkPage, LinkRow | null>

/** The links of an account in an order, searched and filtered: a page at a time, each from the last row seen. */
export function linksQuery(userId: string, view: ListView) {
  return infiniteQueryOptions({
    queryKey: ['links', userId, view],
    queryFn: async ({ pageParam, signal }): Promise<LinkPage> => {
      const size = pageParam === null ? firstPageSize : pageSize
      const { data } = await tables
        .rpc('list_links', {
          _search: searchLines(view.q ?? '', site.ownHosts),
          _sort: view.sort ?? 'newest',
          _with_popup: view.popup === true,
          _never_clicked: view.unclicked === true,
          _blocked: view.blocked === true,
          _off: view.off === true,
          _archived: view.archived === true,
          ...(view.tag !== undefined && { _tags: tagsOfView(view) }),
          ...(view.domain !== undefined && { _domain: view.domain === ownHost ? '' : view.domain }),
          _after: pageParam && {
            id: pageParam.id,
            created_at: pageParam.created_at,
            click_count: pageParam.click_count,
          },
          _limit: size,
        })
        .select('*')
        .abortSignal(signal)
        .throwOnError()
      return { links: data, next: data.length < size ? null : (data.at(-1) ?? null) }
    },
    initialPageParam: null as LinkRow | null,
    getNextPageParam: (lastPage) => lastPage.next,
    // The rows found so far stay while the next letters are looked for.
    placeholderData: keepPreviousData,
    // A refetch of a long list would fetch each of its pages.
    refetchOnWindowFocus: (query) => (query.state.data?.pages.length ?? 0) <= 2,
    refetchOnReconnect: (query) => query.state.status === 'error',
  })
}

/** Whether any link of the account is off, blocked, or archived. */
export function linkKindsQuery(userId: string) {
  return queryOptions({
    queryKey: ['account', userId, 'usage', 'kinds'],
    staleTime: 60_000,
    queryFn: ({ signal }) => answerOf(tables.rpc('link_kinds', {}, { get: true }), signal),
  })
}

/** The loaded rows. A row that was clicked between two pages can be on both. */
export function loadedLinks(data: { pages: readonly LinkPage[] } | undefined): LinkRow[] {
  const byId = new Map<string, LinkRow>()
  for (const { links } of data?.pages ?? [])
    for (const link of links) if (!byId.has(link.id)) byId.set(link.id, link)
  return [...byId.values()]
}

/** Changes rows wherever they were loaded; `change` returns null for one that is gone. */
export function changeLoadedLinks(
  client: QueryClient,
  change: (link: LinkRow) => LinkRow | null,
): void {
  client.setQueriesData<LinkPages | LinkRow | null>({ queryKey: ['links'] }, (loaded) => {
    if (loaded === undefined || loaded === null) return loaded
    if (!('pages' in loaded)) return change(loaded)
    const pages = loaded.pages.map((page) => ({
      ...page,
      links: page.links.map(change).filter((link) => link !== null),
    }))
    return { ...loaded, pages }
  })
}

/** After the archive or the tags of links changed: they leave the lists that they no longer belong to. Other lists are asked for again. */
export function dropMovedLinks(client: QueryClient): void {
  const lists = client.getQueryCache().findAll({ queryKey: ['links'] })
  for (const { queryKey, state } of lists) {
    const [, , view] = queryKey
    if (typeof view !== 'object' || view === null || state.data === undefined) continue
    const { archived }: ListView = view
    const wanted = tagsOfView(view)
    client.setQueryData<LinkPages>(queryKey, (loaded) =>
      loaded === undefined
        ? loaded
        : {
            ...loaded,
            pages: loaded.pages.map((page) => ({
              ...page,
              links: page.links.filter(
                ({ archived_at, tags }) =>
                  (archived_at !== null) === (archived === true) &&
                  (wanted.length === 0 || wanted.some((tag) => tags.includes(tag))),
              ),
            })),
          },
    )
  }
  client.removeQueries({ queryKey: ['links'], type: 'inactive' })
}

/** Puts a new link on top of the list that My Links opens with; other lists start again from their first page. */
export function addLoadedLink(client: QueryClient, userId: string, link: LinkRow): void {
  const { queryKey } = linksQuery(userId, {})
  client.setQueryData<LinkPages>(queryKey, (loaded) => {
    const [first, ...others] = loaded?.pages ?? []
    if (loaded === undefined || first === undefined) return loaded
    return { ...loaded, pages: [{ ...first, links: [link, ...first.links] }, ...others] }
  })
  client.removeQueries({
    queryKey: ['links', userId],
    type: 'inactive',
    predicate: ({ queryKey: [, , view] }) => Object.keys(view ?? {}).length > 0,
  })
}

/** After links were added or lost elsewhere: lists start again from their first page. */
export function removeLoadedLinks(client: QueryClient): void {
  client.removeQueries({ queryKey: ['links'] })
}

/** The codes before and after this one in the list that was loaded last and holds it. */
export function loadedNeighbors(
  client: QueryClient,
  userId: string,
  code: string,
): { above: string | undefined; below: string | undefined } {
  const lists = client
    .getQueryCache()
    .findAll({ queryKey: ['links', userId] })
    .toSorted((a, b) => b.state.dataUpdatedAt - a.state.dataUpdatedAt)
  for (const { state } of lists) {
    const data = state.data as Partial<LinkPages> | LinkRow | null | undefined
    if (data === undefined || data === null || !('pages' in data) || !data.pages) continue
    const codes = data.pages.flatMap(({ links }) => links.map(codeOfLink))
    const at = codes.indexOf(code)
    if (at >= 0) return { above: codes[at - 1], below: codes[at + 1] }
  }
  return { above: undefined, below: undefined }
}
