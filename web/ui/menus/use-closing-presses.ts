import { type RefObject, useEffect } from 'react'

/** Calls `close` after a press, by pointer or by key, on any link or button in an element. */
export function useClosingPresses(element: RefObject<HTMLElement | null>, close: () => void): void {
  useEffect(() => {
    const { current } = element
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest('a, button') !== null) close()
    }
    current?.addEventListener('click', onClick)
    return () => current?.removeEventListener('click', onClick)
  })
}
