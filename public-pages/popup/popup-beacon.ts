import type { PopupAction } from '#domain/popups/popup-actions.ts'

/** Reports a visitor's actions on a popup to the server. */
export type ReportPopupAction = (action: PopupAction) => void

/**
 * Runs in the visitor's page, as source text like popup-script.ts: it must not use anything outside itself. Each action is told
 * once per page view, and only of a popup that was shown. Nothing waits for it, and no failure of it reaches the page.
 */
export function createPopupBeacon(): ReportPopupAction {
  const reported: PopupAction[] = []

  function send(action: PopupAction): void {
    // The path of a scan is `/q/{name}`.
    const [, name = ''] = window.location.pathname.replace(/^\/q\/(?=.)/i, '/').split('/')
    const address = `/${name}/popup/${action}`
    try {
      if (navigator.sendBeacon(address)) return
    } catch {
      // Not there, or switched off.
    }
    fetch(address, { method: 'POST', keepalive: true }).catch(() => {})
  }

  function report(action: PopupAction): void {
    if (reported.includes(action) || (action !== 'shown' && !reported.includes('shown'))) return
    reported.push(action)
    try {
      send(action)
    } catch {
      // The visitor matters, not the count.
    }
  }

  const waysOn = 'a[data-onward], .hp-bio-links a, .hp-bio-social a'
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest(waysOn)) report('reached')
  })
  // A middle click opens a tab and is no 'click'; the popup stays. A right click is an 'auxclick' as well.
  document.addEventListener('auxclick', ({ target, button }) => {
    if (button !== 1 || !(target instanceof Element)) return
    if (target.closest('a[data-cta]')) report('clicked')
    else if (target.closest(waysOn)) report('reached')
  })
  window.addEventListener('pagehide', () => {
    if (reported.length === 1) report('left')
  })
  // Back to a page that was kept, maybe with the popup open, is another view of it.
  window.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return
    reported.length = 0
    if (document.querySelector('dialog.hp-popup[open]')) report('shown')
  })
  return report
}
