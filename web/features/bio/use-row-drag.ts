import { type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useState } from 'react'

type Move = (key: string, to: number) => void

/**
 * Drags the rows of a list (children with `data-row`) by their handles, with a mouse, a pen or a finger. A row changes
 * places with its neighbours as the pointer passes their middles.
 */
export function useRowDrag(list: RefObject<HTMLElement | null>, onMove: Move, onDrop: Move) {
  const [dragged, setDragged] = useState<string>()

  useEffect(() => {
    if (dragged === undefined) return
    let pointer: number | undefined
    let frame = requestAnimationFrame(follow)
    function follow() {
      frame = requestAnimationFrame(follow)
      if (dragged === undefined || pointer === undefined) return
      window.scrollBy(0, scrollAt(pointer))
      onMove(dragged, placeAt(list.current, dragged, pointer))
    }
    const drop = (event: PointerEvent) => {
      const to = placeAt(list.current, dragged, event.clientY)
      setDragged(undefined)
      onMove(dragged, to)
      onDrop(dragged, to)
    }
    // On the window: a captured pointer is let go when the row moves in the document.
    const whole = new AbortController()
    const options = { signal: whole.signal }
    window.addEventListener('pointermove', (event) => (pointer = event.clientY), options)
    window.addEventListener('pointerup', drop, options)
    window.addEventListener('pointercancel', () => setDragged(undefined), options)
    return () => {
      whole.abort()
      cancelAnimationFrame(frame)
    }
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

/** Where the dragged row belongs: after every other row with a middle that the pointer has passed. */
function placeAt(list: HTMLElement | null, dragged: string, pointer: number): number {
  const rows = list === null ? [] : [...list.querySelectorAll<HTMLElement>('[data-row]')]
  const others = rows.filter((row) => row.dataset['row'] !== dragged)
  return others.filter((row) => middleOf(row) < pointer).length
}

const edge = 90

/** How far the page scrolls in one frame while the pointer is near the top or the bottom of the window. */
function scrollAt(pointer: number): number {
  if (pointer < edge) return -8
  return pointer > window.innerHeight - edge ? 8 : 0
}

function middleOf(row: HTMLElement): number {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}
