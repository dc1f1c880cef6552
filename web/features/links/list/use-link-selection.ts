import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LinkRow } from '#web/api/database.ts'

/** The rows that are chosen for something that is done to several. Those that leave the list leave the selection. */
export function useLinkSelection(links: readonly LinkRow[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const latest = useRef(links)
  useEffect(() => {
    latest.current = links
  })
  const lastId = useRef<string>(undefined)

  const toggle = useCallback((link: LinkRow, isRange = false) => {
    const ids = latest.current.map(({ id }) => id)
    const [from, to] = [ids.indexOf(lastId.current ?? ''), ids.indexOf(link.id)].toSorted(
      (a, b) => a - b,
    )
    const range =
      isRange && from !== undefined && to !== undefined && from >= 0
        ? ids.slice(from, to + 1)
        : [link.id]
    lastId.current = link.id
    setChosen((now) => {
      const next = new Set(now)
      const isAdding = !now.has(link.id)
      for (const id of range) {
        if (isAdding) next.add(id)
        else next.delete(id)
      }
      return next
    })
  }, [])

  const selectAll = useCallback(
    (all: readonly LinkRow[]) => setChosen(new Set(all.map(({ id }) => id))),
    [],
  )
  const clear = useCallback(() => setChosen(new Set()), [])
  const selectedLinks = useMemo(() => links.filter(({ id }) => chosen.has(id)), [links, chosen])
  return { selected: chosen, selectedLinks, toggle, selectAll, clear }
}
