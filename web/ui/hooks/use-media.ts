import { useCallback, useSyncExternalStore } from 'react'

/** Whether a media query holds; no before the browser is there. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  )
}

/** Below 700 px (`rail` in app.css): a tab bar in the place of the sidebar. */
export const phone = '(width < 43.75rem)'

/** Up to 500 px high (`low` in app.css): no room for bars that stay. */
export const low = '(height <= 500px)'
