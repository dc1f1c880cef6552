import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useCallback, useDeferredValue, useEffect, useRef } from 'react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { linkCountQuery } from '#web/api/account-counts.ts'
import { useTrends } from '#web/clicks/trends-query.ts'
import type { LinkRow } from '#web/api/database.ts'
import { usePlan } from '#web/plan/plan.ts'
import { routes } from '#domain/routes.ts'
import { useTypedSearch } from '#web/ui/hooks/use-typed-search.ts'
import { linksQuery, loadedLinks } from '../links-query.ts'
import { useLiveLinks } from './live-links.ts'
import { isNarrowed, needsClicks, withoutClicks, type ListView, readListView } from './list-view.ts'
import { useLeavingLinks } from '../unclicked-links.ts'

const numbers = new Intl.NumberFormat('en-US')

/** The links of a person in the view that the address names, with clicks as far as the plan shows them. */
export function useMyLinks(userId: string) {
  const { typed, setTyped, view: asked, setView } = useListView()
  const canViewClicks = usePlan(userId)?.limits.canViewClicks
  const view = canViewClicks === false ? withoutClicks(asked) : asked
  const isWaitingForPlan = canViewClicks === undefined && needsClicks(view)
  const query = useInfiniteQuery({ ...linksQuery(userId, view), enabled: !isWaitingForPlan })
  const count = useQuery(linkCountQuery(userId)).data
  const trends = useLinkTrends(userId, query.data, canViewClicks)
  const leaving = useLeavingLinks()
  const links = useMemo(
    () => loadedLinks(query.data).filter(({ id }) => !leaving.has(id)),
    [query.data, leaving],
  )
  useLiveLinks(userId, links, canViewClicks === true && links.length > 0)

  /** The count of the screen; undefined until it is known. */
  function countWords(): string | undefined {
    if (count === undefined) return undefined
    const counted = [...leaving.values()].filter((state) => state === 'counted')
    const all = numbers.format(count - counted.length)
    if (view.archived === true && query.data !== undefined)
      return `${numbers.format(links.length)}${query.hasNextPage ? '+' : ''}`
    if (!isNarrowed(view) || query.data === undefined) return all
    return `${numbers.format(links.length)}${query.hasNextPage ? '+' : ''} of ${all}`
  }

  return { typed, setTyped, view, setView, canViewClicks, query, links, trends, countWords }
}

/** The last 30 days of the rows: one answer for each page of rows. */
function useLinkTrends(
  userId: string,
  data: { pages: readonly { links: readonly LinkRow[] }[] } | undefined,
  canViewClicks: boolean | undefined,
) {
  const ids = useMemo(
    () => (data?.pages ?? []).map((page) => page.links.map(({ id }) => id)),
    [data],
  )
  return useTrends(userId, 'link', ids, canViewClicks === true)
}

const route = getRouteApi(routes.dashboard.path)

/**
 * View of the list, kept in the address, so that reloading and going back keep it; and the search as it is typed,
 * which is asked for a moment later.
 */
function useListView() {
  const navigate = useNavigate()
  const view = route.useSearch()
  const latest = useRef(view)
  useEffect(() => {
    latest.current = view
  })

  const setView = useCallback(
    (change: (view: ListView) => ListView) =>
      void navigate({
        to: routes.dashboard.path,
        search: change(latest.current),
        replace: true,
      }),
    [navigate],
  )

  const [typed, setTyped] = useTypedSearch(
    view.q ?? '',
    (q) => setView((now) => readListView({ ...now, q })),
    200,
  )

  return { typed, setTyped, view: useDeferredValue(view), setView }
}
