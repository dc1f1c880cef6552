import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useState } from 'react'

type Move = (key: string, to: number) => void

/**
 * Drags the rows of a list (children with `data-row`) by their handles, with a mouse, a pen or a finger. A row changes
 * places with a neighbour as soon as the pointer is past the neighbour's middle.
 */
export function useRowDrag(list: RefObject<HTMLElement | null>, onMove: Move, onDrop: Move) {
  const [dragged, setDragged] = useState<string>()

  useEffect(() => {
    if (dragged === undefined) return
    // On the window: a captured pointer is let go when the row moves in the document.
    const whole = new AbortController()
    const options = { signal: whole.signal }
    const place = () => rowsOf(list.current).findIndex((row) => row.dataset['row'] === dragged)
    window.addEventListener(
      'pointermove',
      (event) => {
        const rows = rowsOf(list.current)
        const at = place()
        const [before, after] = [rows[at - 1], rows[at + 1]]
        if (before && event.clientY < middleOf(before)) onMove(dragged, at - 1)
        else if (after && event.clientY > middleOf(after)) onMove(dragged, at + 1)
      },
      options,
    )
    const drop = () => {
      setDragged(undefined)
      onDrop(dragged, place())
    }
    window.addEventListener('pointerup', drop, options)
    window.addEventListener('pointercancel', drop, options)
    return () => whole.abort()
  }, [dragged, list, onMove, onDrop])

  return {
    dragged,
    start: (key: string) => (event: ReactPointerEvent) => {
      if (event.button !== 0) return
      event.preventDefault()
      setDragged(key)
    },
  }
}

function rowsOf(list: HTMLElement | null): HTMLElement[] {
  return list === null ? [] : [...list.querySelectorAll<HTMLElement>('[data-row]')]
}

function middleOf(row: HTMLElement): number {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}
