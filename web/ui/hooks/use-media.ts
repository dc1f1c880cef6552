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

/** From 1024 px on (`lg`): rows have room for more than their subject. */
export const wide = '(width >= 64rem)'

/** Below 700 px (`rail` in app.css): a tab bar in the place of the sidebar. */
export const phone = '(width < 43.75rem)'
