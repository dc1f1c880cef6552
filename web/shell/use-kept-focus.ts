import { useEffect } from 'react'

/**
 * A button that leaves with its row takes the focus with it. This gives it to the nearest part that is still there, so that
 * the next Tab does not begin at the top of the page.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element with the focus, and the parts that it is in, from the nearest. */
    let path: HTMLElement[] = []
    const remember = (focused: EventTarget | null) => {
      path = []
      for (let part = focused; part instanceof HTMLElement; part = part.parentElement)
        path.push(part)
    }
    const take = ({ target }: FocusEvent) => remember(target)
    // One that is still there afterwards gave the focus away.
    const drop = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (path[0] === target && path[0]?.isConnected === true) path = []
      })
    const observer = new MutationObserver(() => {
      const [focused] = path
      if (focused === undefined || focused.isConnected) return
      const near = path.find((part) => part.isConnected)
      path = []
      const isLost = document.activeElement === document.body
      if (isLost && near !== undefined && near !== document.body) focusPart(near)
    })
    remember(document.activeElement)
    document.addEventListener('focusin', take)
    document.addEventListener('focusout', drop)
    observer.observe(document.body, { childList: true, subtree: true })
    return () => {
      document.removeEventListener('focusin', take)
      document.removeEventListener('focusout', drop)
      observer.disconnect()
    }
  }, [])
}

function focusPart(part: HTMLElement): void {
  if (!part.hasAttribute('tabindex')) {
    const ring = { tabindex: '-1', 'data-quiet-focus': '' }
    for (const [name, value] of Object.entries(ring)) part.setAttribute(name, value)
    const restore = () => Object.keys(ring).forEach((name) => part.removeAttribute(name))
    part.addEventListener('blur', restore, { once: true })
  }
  part.focus({ preventScroll: true })
}
