import { useEffect, useRef } from 'react'

/** Keys as people read them: `n`, `?`, or `mod+k` for Ctrl or ⌘ with k. */
export type Shortcuts = Readonly<Record<string, () => void>>

/**
 * Keys of the whole app. They rest while a person types, in an open dialog, and with other modifier keys, so that they
 * never take a key from the browser, a form or a screen reader. `mod+` keys work everywhere but in a dialog.
 *
 * @param held the keys that act again and again while they are held down
 */
export function useShortcuts(shortcuts: Shortcuts, held = ''): void {
  const latest = useRef(shortcuts)
  useEffect(() => {
    latest.current = shortcuts
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return
      if (document.querySelector('dialog[open]') !== null) return
      const isMod = event.ctrlKey || event.metaKey
      if (!isMod && isTyping(event.target)) return
      const key = event.key.toLowerCase()
      if (event.repeat && (isMod || !held.includes(key))) return
      const act = latest.current[isMod ? `mod+${key}` : key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [held])
}

const textFields =
  'input:not([type="checkbox"], [type="radio"], [type="range"]), textarea, select, [role="textbox"]'

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches(textFields))
}

/** Name of the key on this machine. */
export const modKey = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl '
