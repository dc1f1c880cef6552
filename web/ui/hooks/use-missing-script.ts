import { useSyncExternalStore } from 'react'

let isMissing = false
const listeners = new Set<() => void>()

const failures = new WeakSet()

// Listened to from the start: a part may fail before anything shows it.
if (typeof window !== 'undefined')
  window.addEventListener('vite:preloadError', ({ payload }) => {
    failures.add(payload)
    void look()
  })

/** Whether the error is that of a script that did not come. React keeps it, so only a reload tries again. */
export function isScriptFailure(error: unknown): boolean {
  return typeof error === 'object' && error !== null && failures.has(error)
}

/** A server that answers and lacks a script of this app was updated since the page was loaded. */
async function look(): Promise<void> {
  const response = await fetch('/', { method: 'HEAD', cache: 'no-store' }).catch(() => undefined)
  if (response?.ok !== true || isMissing) return
  isMissing = true
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether a part of the app could not be loaded although the server answers: only a reload brings it. */
export function useMissingScript(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => isMissing,
    () => false,
  )
}
