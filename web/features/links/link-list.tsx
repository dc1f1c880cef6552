import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { LinkItem } from './link-item.tsx'
import type { LinkRow as Row } from '#web/database.ts'

interface LinkListProps {
  links: readonly Row[]
  canViewClicks: boolean | undefined
  onEdit: (link: Row) => void
  onDelete: (link: Row) => void
  /** Called when the end of the loaded rows comes near. */
  onEndNear: () => void
  ref: RefObject<HTMLUListElement | null>
}

/** Only the rows near the window are in the document, so that 100,000 links scroll like 10. */
export function LinkList({
  links,
  canViewClicks,
  onEdit,
  onDelete,
  onEndNear,
  ref,
}: LinkListProps) {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop(ref.current?.offsetTop ?? 0), [ref])

  // oxlint-disable-next-line react/incompatible-library -- the React compiler is not used here
  const rows = useWindowVirtualizer({
    count: links.length,
    estimateSize: () => 104,
    overscan: 10,
    scrollMargin: top,
    getItemKey: (index) => links[index]?.id ?? index,
  })
  const shown = rows.getVirtualItems()
  const last = shown[shown.length - 1]?.index ?? 0

  const endNear = useRef(onEndNear)
  endNear.current = onEndNear
  useEffect(() => {
    if (last >= links.length - 15) endNear.current()
  }, [last, links.length])

  return (
    <ul
      ref={ref}
      tabIndex={-1}
      data-quiet-focus
      aria-label="Your links"
      className="relative border-t border-line"
      style={{ height: rows.getTotalSize() }}
    >
      {shown.map((item) => {
        const link = links[item.index]
        return link === undefined ? null : (
          <li
            key={item.key}
            data-index={item.index}
            ref={rows.measureElement}
            aria-posinset={item.index + 1}
            aria-setsize={-1}
            className="absolute inset-x-0 top-0"
            style={{ transform: `translateY(${item.start - top}px)` }}
          >
            <LinkItem
              link={link}
              canViewClicks={canViewClicks}
              onEdit={onEdit}
              onDelete={onDelete}
            />
          </li>
        )
      })}
    </ul>
  )
}
