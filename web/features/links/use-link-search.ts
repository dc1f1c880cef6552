import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useState } from 'react'
import { routes } from '#domain/routes.ts'

const route = getRouteApi(routes.dashboard.path)

/** The search as typed, and as asked for a moment later; kept in the address, so that reloading keeps it. */
export function useLinkSearch() {
  const navigate = useNavigate()
  const { q = '' } = route.useSearch()
  const [typed, setTyped] = useState(q)
  useEffect(() => {
    const search = typed.trim()
    if (search === q) return
    const timer = setTimeout(
      () =>
        void navigate({
          to: routes.dashboard.path,
          search: search === '' ? {} : { q: search },
          replace: true,
        }),
      // Clearing needs no waiting for the next letter.
      search === '' ? 0 : 200,
    )
    return () => clearTimeout(timer)
  }, [typed, q, navigate])
  return { typed, search: useDeferredValue(q), setTyped }
}
