import { ArrowDown, ArrowUp, Ellipsis, GripVertical, Trash2 } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { notifyUndoable } from '#web/ui/toasts/notify-actions.tsx'
import { MenuItem } from '#web/ui/menus/menu-item.tsx'
import { Popover } from '#web/ui/menus/popover.tsx'
import type { UnfoldedRows } from './use-bio-editor.ts'
import { useRowDrag } from './use-row-drag.ts'

interface SortableRowsProps<Row> {
  /** Noun of a row: 'link' makes 'Move link 2'. */
  noun: string
  rows: readonly Row[]
  unfolded: UnfoldedRows
  onChange: (change: (rows: readonly Row[]) => readonly Row[]) => void
  /** Name of a row in announcements of its move. */
  nameOf: (row: Row) => string
  /** Summary of a folded row. Pressing it unfolds the row. */
  head: (row: Row) => ReactNode
  /** Stands at the right of the head. */
  aside?: (row: Row) => ReactNode
  /** More items of a row's menu, before those that move and remove it. */
  menu?: (row: Row) => ReactNode
  /** The fields of an unfolded row. */
  children: (row: Row, index: number) => ReactNode
}

/**
 * Rows that unfold, are put in order (by dragging, by the arrow keys on the handle, or from the menu), and are removed.
 * Where a row went is announced.
 */
export function SortableRows<Row extends { key: string }>(props: SortableRowsProps<Row>) {
  const { noun, rows, onChange, nameOf } = props
  const list = useRef<HTMLOListElement>(null)
  const [announcement, setAnnouncement] = useState('')
  const focusNext = useFocusAfterMove(list, rows)

  const move = useCallback(
    (key: string, to: number) => onChange((all) => moved(all, key, to)),
    [onChange],
  )
  const announce = (key: string, to: number) => {
    const row = rows.find((one) => one.key === key)
    if (row) setAnnouncement(`${nameOf(row)} is now ${noun} ${to + 1} of ${rows.length}`)
  }
  const { dragged, start } = useRowDrag(list, move, announce)

  function step(row: Row, from: number, by: -1 | 1, control: Control) {
    const to = from + by
    if (to < 0 || to >= rows.length) return
    focusNext(row.key, control)
    move(row.key, to)
    announce(row.key, to)
  }

  function remove(row: Row, index: number) {
    const next = rows[index + 1] ?? rows[index - 1]
    if (next) focusNext(next.key, 'more')
    onChange((all) => all.filter((one) => one.key !== row.key))
    notifyUndoable(
      { title: `${nameOf(row)} was removed` },
      {
        onUndo: () => onChange((all) => (all.includes(row) ? all : all.toSpliced(index, 0, row))),
      },
    )
  }

  return (
    <>
      <ol ref={list} className="-mx-4 -mb-4 border-t border-line empty:hidden sm:-mx-5 sm:-mb-5">
        {rows.map((row, index) => (
          <SortableRow
            key={row.key}
            {...props}
            row={row}
            index={index}
            isDragged={dragged === row.key}
            onGrab={start(row.key)}
            onStep={(by, control) => step(row, index, by, control)}
            onRemove={() => remove(row, index)}
          />
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
    </>
  )
}

/** A control of a row that keeps the focus when the row has moved. */
type Control = 'handle' | 'more'

interface SortableRowProps<Row> extends SortableRowsProps<Row> {
  row: Row
  index: number
  isDragged: boolean
  onGrab: (event: React.PointerEvent) => void
  onStep: (by: -1 | 1, control: Control) => void
  onRemove: () => void
}

function SortableRow<Row extends { key: string }>(props: SortableRowProps<Row>) {
  const { noun, rows, unfolded, head, aside, menu, children, row, index } = props
  const id = useId()
  const isOpen = unfolded.has(row.key)
  const number = `${noun} ${index + 1}`

  function onArrow(event: KeyboardEvent) {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (by !== -1 && by !== 1) return
    event.preventDefault()
    props.onStep(by, 'handle')
  }

  return (
    <li
      data-row={row.key}
      className={`border-line not-first:border-t ${props.isDragged ? 'relative z-[1] bg-surface shadow-lift' : ''}`}
    >
      <div className="flex h-14 items-center gap-1 pr-2 sm:pr-3">
        <button
          type="button"
          aria-label={`Move ${number}`}
          aria-keyshortcuts="ArrowUp ArrowDown"
          title="Drag, or press the arrow keys, to put in order"
          onPointerDown={props.onGrab}
          onKeyDown={onArrow}
          data-handle
          data-do="handle"
          className="grid h-14 w-9 shrink-0 cursor-grab touch-none place-items-center text-ink-faint select-none pointer-coarse:w-10"
        >
          <GripVertical size={18} aria-hidden />
        </button>
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => unfolded.toggle(row.key)}
          className="flex h-14 min-w-0 grow items-center gap-3 text-left"
        >
          {head(row)}
        </button>
        {aside?.(row)}
        <span data-do="more" className="contents">
          <Popover label={`Options of ${number}`} icon={<Ellipsis size={18} aria-hidden />}>
            <RowMenu
              {...props}
              first={menu?.(row)}
              number={number}
              isFirst={index === 0}
              isLast={index === rows.length - 1}
            />
          </Popover>
        </span>
      </div>
      {isOpen ? (
        <div id={id} className="grid gap-3 px-4 pt-1 pb-5 sm:pr-5 sm:pl-10">
          {children(row, index)}
        </div>
      ) : null}
    </li>
  )
}

interface RowMenuProps {
  first: ReactNode
  number: string
  isFirst: boolean
  isLast: boolean
  onStep: (by: -1 | 1, control: Control) => void
  onRemove: () => void
}

function RowMenu({ first, number, isFirst, isLast, onStep, onRemove }: RowMenuProps) {
  return (
    <ul className="min-w-44">
      {first}
      {isFirst ? null : (
        <li>
          <MenuItem
            Icon={ArrowUp}
            name="Move up"
            aria-label={`Move up ${number}`}
            onClick={() => onStep(-1, 'more')}
          />
        </li>
      )}
      {isLast ? null : (
        <li>
          <MenuItem
            Icon={ArrowDown}
            name="Move down"
            aria-label={`Move down ${number}`}
            onClick={() => onStep(1, 'more')}
          />
        </li>
      )}
      <li>
        <MenuItem Icon={Trash2} name="Remove" aria-label={`Remove ${number}`} onClick={onRemove} />
      </li>
    </ul>
  )
}

function moved<Row extends { key: string }>(rows: readonly Row[], key: string, to: number) {
  const row = rows.find((one) => one.key === key)
  return row === undefined || rows[to] === row
    ? rows
    : rows.filter((one) => one !== row).toSpliced(to, 0, row)
}

/** A row that moves in the document loses the focus: its control gets it back. */
function useFocusAfterMove(list: React.RefObject<HTMLElement | null>, rows: readonly unknown[]) {
  const wanted = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    list.current?.querySelector<HTMLElement>(wanted.current)?.focus()
    wanted.current = undefined
  }, [list, rows])
  return (key: string, control: Control) => {
    const inRow = `[data-row="${key}"] [data-do="${control}"]`
    wanted.current = `button${inRow}, ${inRow} > button`
  }
}
