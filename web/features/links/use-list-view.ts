import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useCallback, useDeferredValue, useEffect, useRef, useState } from 'react'
import { routes } from '#domain/routes.ts'
import { type ListView, readListView } from './list-view.ts'

const route = getRouteApi(routes.dashboard.path)

/**
 * View of the list, kept in the address, so that reloading and going back keep it; and the search as it is typed,
 * which is asked for a moment later.
 */
export function useListView() {
  const navigate = useNavigate()
  const view = route.useSearch()
  const [typed, setTyped] = useState(view.q ?? '')
  const q = view.q ?? ''
  const asked = useRef(q)

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

  // A link or the way back has led to another search.
  useEffect(() => {
    if (q === asked.current) return
    asked.current = q
    setTyped(q)
  }, [q])

  useEffect(() => {
    const search = typed.trim()
    if (search === asked.current) return
    const timer = setTimeout(
      () => {
        asked.current = search
        setView((now) => readListView({ ...now, q: search }))
      },
      // Clearing needs no waiting for the next letter.
      search === '' ? 0 : 200,
    )
    return () => clearTimeout(timer)
  }, [typed, setView])

  return { typed, setTyped, view: useDeferredValue(view), setView }
}
