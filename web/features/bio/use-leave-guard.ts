import { useBlocker } from '@tanstack/react-router'

/** Holds every way out of the screen while there are unsaved changes: links, the back button, closing the tab. */
export function useLeaveGuard(changed: boolean) {
  return useBlocker({
    shouldBlockFn: ({ current, next }) => changed && current.pathname !== next.pathname,
    enableBeforeUnload: changed,
    withResolver: true,
  })
}
