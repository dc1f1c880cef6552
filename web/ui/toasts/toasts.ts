import { useEffect, useState } from 'react'

// Toasts are a fifteenth of the app's script, and a visitor who only looks at Home never sees one. There they are loaded
// at the first press or focus, elsewhere as soon as the browser has nothing else to do: the network may be gone by the time
// a toast has to say so.

type Toasts = typeof import('./toaster.tsx')

const loading: { promise?: Promise<Toasts> } = {}
let isMounted = () => {}
const mounted = new Promise<void>((resolve) => {
  isMounted = resolve
})
const wanted = new Set<() => void>()

function loadToasts(): Promise<Toasts> {
  loading.promise ??= import('./toaster.tsx').catch((error: unknown) => {
    delete loading.promise
    throw error
  })
  for (const notify of wanted) notify()
  return loading.promise
}

/** Shows a toast, once the place for it is on the screen. */
export function showToast(show: (toast: Toasts['toast']) => void): void {
  void loadToasts().then(
    async ({ toast }) => {
      await mounted
      show(toast)
    },
    // Without a network and before any press: there is nothing to show it with.
    () => {},
  )
}

/** How long a toast stays at least, so that a person can read it. */
const readingMs = 2_000
const lastOfKind = new Map<string, { id: string | number; title: string; shownAt: number }>()

/**
 * Shows a toast in the place of the last one of its kind. One with another title stays until it can have been read.
 *
 * @param show returns its id
 */
export function showToastOfKind(
  kind: 'success' | 'info' | 'error',
  title: string,
  show: (toast: Toasts['toast']) => string | number,
): void {
  showToast((toast) => {
    const before = lastOfKind.get(kind)
    const now = Date.now()
    if (before !== undefined) {
      const restMs = before.title === title ? 0 : before.shownAt + readingMs - now
      if (restMs > 0) setTimeout(() => toast.dismiss(before.id), restMs)
      else toast.dismiss(before.id)
    }
    lastOfKind.set(kind, { id: show(toast), title, shownAt: now })
  })
}

/**
 * Shows toasts; undefined until it is loaded.
 *
 * @param isSoon whether they are loaded without waiting for a press
 */
export function useToaster(isSoon: boolean): Pick<Toasts, 'Toaster'> | undefined {
  const [part, setPart] = useState<Pick<Toasts, 'Toaster'>>()
  useEffect(() => {
    if (part !== undefined) return isMounted()
    const take = () => void loading.promise?.then(setPart, () => {})
    const prepare = () => void loadToasts().catch(() => {})
    wanted.add(take)
    take()
    const events = ['pointerdown', 'keydown', 'focusin'] as const
    for (const event of events) window.addEventListener(event, prepare, { capture: true })
    return () => {
      wanted.delete(take)
      for (const event of events) window.removeEventListener(event, prepare, { capture: true })
    }
  }, [part])
  useEffect(() => {
    if (!isSoon) return undefined
    const prepare = () => void loadToasts().catch(() => {})
    // Safari has no idle callback.
    const timer = setTimeout(() => (window.requestIdleCallback ?? setTimeout)(prepare), 0)
    return () => clearTimeout(timer)
  }, [isSoon])
  return part
}
