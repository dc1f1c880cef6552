import { ArrowDown, ArrowUp, GripVertical, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { IconButton } from '#web/ui/button.tsx'
import { notifyUndoable } from '#web/ui/notify.ts'
import { useRowDrag } from './use-row-drag.ts'

interface SortableRowsProps<Row> {
  /** What a row is called: 'link' makes 'Move link 2 up'. */
  noun: string
  rows: readonly Row[]
  onChange: (change: (rows: readonly Row[]) => readonly Row[]) => void
  /** What a row is called when its move is announced. */
  nameOf: (row: Row) => string
  /** Stands at the head of a row. */
  headOf?: (row: Row) => ReactNode
  children: (row: Row, index: number) => ReactNode
}

const refused = 'aria-disabled:opacity-40 aria-disabled:hover:bg-transparent'

/** Rows that are put in order with buttons or by dragging, and removed. Where a row went is announced. */
export function SortableRows<Row extends { key: string }>({
  noun,
  rows,
  onChange,
  nameOf,
  headOf,
  children,
}: SortableRowsProps<Row>) {
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

  function step(row: Row, from: number, by: -1 | 1) {
    const to = from + by
    if (to < 0 || to >= rows.length) return
    focusNext(row.key, by === -1 ? 'up' : 'down')
    move(row.key, to)
    announce(row.key, to)
  }

  function remove(row: Row, index: number) {
    const next = rows[index + 1] ?? rows[index - 1]
    if (next) focusNext(next.key, 'remove')
    onChange((all) => all.filter((one) => one.key !== row.key))
    notifyUndoable({ title: `${nameOf(row)} was removed` }, () => {
      onChange((all) => (all.includes(row) ? all : all.toSpliced(index, 0, row)))
    })
  }

  return (
    <>
      <ol ref={list} className="grid gap-3">
        {rows.map((row, index) => (
          <li
            key={row.key}
            data-row={row.key}
            className={`rounded-2xl border p-3 transition-shadow duration-150 sm:p-4 ${
              dragged === row.key ? 'border-accent-text shadow-lift' : 'border-line'
            }`}
          >
            <div className="mb-2 flex items-center gap-1">
              <span
                aria-hidden
                title="Drag to put in order"
                onPointerDown={start(row.key)}
                className="-ml-1.5 inline-grid size-10 shrink-0 cursor-grab touch-none place-items-center text-ink-faint select-none"
                data-handle
              >
                <GripVertical size={18} />
              </span>
              <span className="flex min-w-0 grow items-center gap-2 text-sm font-medium">
                {headOf?.(row) ?? <span className="capitalize">{`${noun} ${index + 1}`}</span>}
              </span>
              <IconButton
                label={`Move ${noun} ${index + 1} up`}
                data-do="up"
                aria-disabled={index === 0 ? true : undefined}
                onClick={() => step(row, index, -1)}
                className={refused}
              >
                <ArrowUp size={17} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${noun} ${index + 1} down`}
                data-do="down"
                aria-disabled={index === rows.length - 1 ? true : undefined}
                onClick={() => step(row, index, 1)}
                className={refused}
              >
                <ArrowDown size={17} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove ${noun} ${index + 1}`}
                data-do="remove"
                onClick={() => remove(row, index)}
              >
                <Trash2 size={17} aria-hidden />
              </IconButton>
            </div>
            {children(row, index)}
          </li>
        ))}
      </ol>
      <output className="sr-only">{announcement}</output>
    </>
  )
}

function moved<Row extends { key: string }>(rows: readonly Row[], key: string, to: number) {
  const row = rows.find((one) => one.key === key)
  return row === undefined || rows[to] === row
    ? rows
    : rows.filter((one) => one !== row).toSpliced(to, 0, row)
}

/** A row that moves in the document loses the focus: its button gets it back. */
function useFocusAfterMove(list: React.RefObject<HTMLElement | null>, rows: readonly unknown[]) {
  const wanted = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (wanted.current === undefined) return
    list.current?.querySelector<HTMLElement>(wanted.current)?.focus()
    wanted.current = undefined
  }, [list, rows])
  return (key: string, button: 'up' | 'down' | 'remove') => {
    wanted.current = `[data-row="${key}"] [data-do="${button}"]`
  }
}
