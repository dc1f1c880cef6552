import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useEffect, useRef } from 'react'
import { routes } from '#domain/routes.ts'
import { useTypedSearch } from '#web/ui/use-typed-search.ts'
import { type ListView, readListView } from './list-view.ts'

const route = getRouteApi(routes.dashboard.path)

/**
 * View of the list, kept in the address, so that reloading and going back keep it; and the search as it is typed,
 * which is asked for a moment later.
 */
export function useListView() {
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
