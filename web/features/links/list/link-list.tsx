import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type RefObject } from 'react'
import type { TrendsById } from '#web/clicks/trends-query.ts'
import { useShortcuts } from '#web/ui/hooks/use-shortcuts.ts'
import { LinkItem, type RowActions } from './link-item.tsx'
import { useRowLayout } from './row-layout.ts'
import type { TagRow } from '#web/api/tags-query.ts'
import type { LinkRow as Row } from '#web/api/database.ts'

interface LinkListProps {
  links: readonly Row[]
  canViewClicks: boolean | undefined
  trends: TrendsById
  tags: readonly TagRow[]
  selected: ReadonlySet<string>
  /** The id of a link that was made a moment ago. */
  createdId: string | undefined
  actions: RowActions
  /** Called when the end of the loaded rows comes near. */
  onEndNear: () => void
  ref: RefObject<HTMLUListElement | null>
}

/** Borders of the list, above and below its rows. */
const borders = 2
/** Rows beside the window that are in the document: few at first, so that the first ones are there soon. */
const overscan = { first: 2, later: 10 }

/** Only the rows near the window are in the document, so that 100,000 links scroll like 10. */
export function LinkList(props: LinkListProps) {
  const { links, canViewClicks, trends, tags, selected, createdId, actions, onEndNear, ref } = props
  const { layout, isDense, rowHeight } = useRowLayout()
  const [top, setTop] = useState(0)
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), 300)
    return () => clearTimeout(timer)
  }, [])
  // Parts above can change their height.
  useEffect(() => {
    const observer = new ResizeObserver(() =>
      setTop(ref.current === null ? 0 : ref.current.getBoundingClientRect().top + window.scrollY),
    )
    if (ref.current?.parentElement) observer.observe(ref.current.parentElement)
    return () => observer.disconnect()
  }, [ref])

  // oxlint-disable-next-line react/incompatible-library -- the React compiler is not used here
  const rows = useWindowVirtualizer({
    count: links.length,
    estimateSize: () => rowHeight,
    // The observer's answer: asking for each new row would lay the page out for it.
    measureElement: (_row, entry) => entry?.borderBoxSize[0]?.blockSize ?? rowHeight,
    overscan: isSettled ? overscan.later : overscan.first,
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

  useRowKeys({
    links,
    createdId,
    actions,
    list: ref,
    showRow: (index) => rows.scrollToIndex(index),
  })

  return (
    <ul
      ref={ref}
      tabIndex={-1}
      data-quiet-focus
      aria-label="Your links"
      className="relative overflow-clip rounded-2xl border border-line bg-surface max-rail:-mx-4 max-rail:rounded-none max-rail:border-x-0"
      style={{ height: rows.getTotalSize() + borders }}
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
            // The bars of a phone cover the edges of the window.
            className="absolute inset-x-0 top-0 scroll-my-18"
            style={{ transform: `translateY(${item.start - top}px)` }}
          >
            <LinkItem
              link={link}
              canViewClicks={canViewClicks}
              trend={trends.get(link.id)}
              tags={tags}
              isSelected={selected.has(link.id)}
              isSelecting={selected.size > 0}
              isNew={link.id === createdId}
              layout={layout}
              isDense={isDense}
              actions={actions}
            />
          </li>
        )
      })}
    </ul>
  )
}

interface RowKeys extends Pick<LinkListProps, 'links' | 'createdId' | 'actions'> {
  list: RefObject<HTMLUListElement | null>
  showRow: (index: number) => void
}

/**
 * The keys of the list: j and k move the focus from row to row, and c, e and x act on the row that has it. Enter is the
 * browser's own: the focus is on the row's link. A link that was made a moment ago gets the focus, so that the keys act on it.
 */
function useRowKeys({ links, createdId, actions, list, showRow }: RowKeys): void {
  const current = useRef(-1)
  const wanted = useRef<number>(undefined)

  const rowAt = (index: number) =>
    list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`) ?? undefined

  function focusedIndex(): number | undefined {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]')
    return row && list.current?.contains(row) === true ? Number(row.dataset['index']) : undefined
  }

  function focusWanted() {
    const row = wanted.current === undefined ? undefined : rowAt(wanted.current)
    if (row === undefined) return
    wanted.current = undefined
    row.querySelector<HTMLElement>('[data-row-link]')?.focus({ preventScroll: true })
    row.scrollIntoView({ block: 'nearest' })
  }

  function focusRow(index: number) {
    current.current = index
    wanted.current = index
    if (rowAt(index) === undefined) showRow(index)
    focusWanted()
  }

  function move(step: number) {
    const from = wanted.current ?? focusedIndex() ?? current.current
    focusRow(Math.min(Math.max(from + step, 0), links.length - 1))
  }

  const created = links.findIndex(({ id }) => id === createdId)
  const isCreatedShown = created >= 0
  useEffect(() => {
    if (isCreatedShown) focusRow(created)
    // oxlint-disable-next-line react/exhaustive-deps -- once, when it appears
  }, [createdId, isCreatedShown])

  function onFocused(act: (link: Row, row: HTMLElement) => void) {
    const index = focusedIndex()
    const link = index === undefined ? undefined : links[index]
    const row = index === undefined ? undefined : rowAt(index)
    if (link !== undefined && row !== undefined) act(link, row)
  }

  // A row that was far away is in the document only now.
  useEffect(focusWanted)

  useShortcuts(
    {
      j: () => move(1),
      k: () => move(-1),
      c: () => onFocused((_, row) => row.querySelector<HTMLElement>('[data-copy]')?.click()),
      e: () => onFocused((link) => actions.edit(link)),
      x: () => onFocused((link) => actions.toggle(link)),
    },
    'jk',
  )
}
