import { useCallback, useEffect, useRef, useState } from 'react'

async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeClipboardByCommand(text)
  }
}

/**
 * Copies a text that a press asks for and that is known only later; null is none. Safari lets a page copy only while it
 * handles the press, so the promise itself is handed to the clipboard.
 *
 * @returns whether it worked; a text that fails to come is none
 */
export async function copyLater(text: Promise<string | null>): Promise<boolean> {
  const blob = text.then((known) => {
    if (known === null) throw new Error('nothing to copy')
    return new Blob([known], { type: 'text/plain' })
  })
  // Without ClipboardItem nobody else waits for it.
  blob.catch(() => {})
  try {
    await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
    return true
  } catch {
    const known = await text.catch(() => null)
    return known !== null && writeClipboard(known)
  }
}

// Pages served over plain http on a local network have no navigator.clipboard.
function writeClipboardByCommand(text: string): boolean {
  const area = document.createElement('textarea')
  const focused = document.activeElement
  area.value = text
  area.style.cssText = 'position:fixed;opacity:0'
  // Outside a modal dialog nothing can be selected.
  ;(focused?.closest('dialog') ?? document.body).append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}

/**
 * Copies text; `copied` stays true for two seconds after it worked.
 *
 * @param copying the same text is being copied already
 */
export function useCopy(copying?: Promise<boolean>): {
  copied: boolean
  copy: (text: string) => Promise<boolean>
} {
  const [copied, setCopied] = useState(false)
  const timer = useRef<number>(undefined)

  const show = useCallback((done: boolean) => {
    if (!done) return
    setCopied(true)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setCopied(false), 2000)
  }, [])
  useEffect(() => {
    void copying?.then(show)
    return () => window.clearTimeout(timer.current)
  }, [copying, show])

  async function copy(text: string): Promise<boolean> {
    const done = await writeClipboard(text)
    show(done)
    return done
  }
  return { copied, copy }
}
