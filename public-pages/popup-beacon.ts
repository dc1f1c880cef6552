import type { PopupAction } from '#domain/popup-actions.ts'

/** Tells the server what a visitor does with a popup. */
export type TellPopupAction = (action: PopupAction) => void

/**
 * Runs in the visitor's page, as source text like popup-script.ts: it must not use anything outside itself. Each action is told
 * once per page view, and only of a popup that was shown. Nothing waits for it, and no failure of it reaches the page.
 */
export function createPopupBeacon(): TellPopupAction {
  const told: PopupAction[] = []

  function send(action: PopupAction): void {
    const address = `/${window.location.pathname.split('/')[1] ?? ''}/popup/${action}`
    try {
      if (navigator.sendBeacon(address)) return
    } catch {
      // Not there, or switched off.
    }
    fetch(address, { method: 'POST', keepalive: true }).catch(() => {})
  }

  function tell(action: PopupAction): void {
    if (told.includes(action) || (action !== 'shown' && !told.includes('shown'))) return
    told.push(action)
    try {
      send(action)
    } catch {
      // The visitor matters, not the count.
    }
  }

  window.addEventListener('pagehide', () => {
    if (told.length === 1) tell('left')
  })
  // Back to a page that was kept, maybe with the popup open, is another view of it.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    told.length = 0
    if (document.querySelector('dialog.hp-popup[open]')) tell('shown')
  })
  return tell
}
