import type { PopupAction } from '#domain/popups/popup-actions.ts'
import type { ReportPopupAction } from './popup-beacon.ts'
import type { KeepEmail } from './popup-emails.ts'
import type { MakeRoomForPopup } from './popup-room.ts'
import type { ShownPopups } from './popup-session.ts'
import type { ThankVisitor } from './popup-thanks.ts'

interface PopupParts {
  report: ReportPopupAction
  shown: ShownPopups
  makeRoom: MakeRoomForPopup
  thank: ThankVisitor
  keep: KeepEmail
}

/**
 * Runs in the visitor's page. The server writes the source text of this function into the page, so it must not use
 * anything outside itself: its parts are source texts too, given by render.tsx. It shows the popup once per browser session and redirects when the popup is closed; after an
 * email address was given, it says thank you first. A popup that fails for any reason redirects at once.
 */
export function runPopupScript({ report, shown, makeRoom, thank, keep }: PopupParts): void {
  const onward = document.querySelector<HTMLAnchorElement>('a[data-onward]')
  const popup = document.querySelector<HTMLDialogElement>('dialog.hp-popup')
  const share = document.querySelector<HTMLDialogElement>('dialog.hp-share')
  let hasLeft = false

  function goOn(): void {
    const destination = onward?.getAttribute('href')
    if (hasLeft || !destination) return
    hasLeft = true
    report('reached')
    // Not `assign`: Back from the destination must not lead into the popup again.
    window.location.replace(destination)
  }

  function setUp(dialog: HTMLDialogElement): void {
    const id = (dialog.dataset['popup'] ?? '').slice(0, 8)
    if (shown.has(id)) return goOn()
    const isModal = dialog.classList.contains('hp-popup-at-center')
    const delayMs = Math.min(10, Math.max(0, Number(dialog.dataset['delay']) || 0)) * 1000
    let wasOpened = false
    let wasEmailGiven = false
    let wasPressedOutside = false
    let focusBefore: Element | null = null

    function close(action?: PopupAction): void {
      if (action) report(action)
      if (dialog.open) dialog.close()
      else goOn()
    }

    dialog.addEventListener('close', () => {
      makeRoom(dialog)
      if (focusBefore instanceof HTMLElement) focusBefore.focus()
      if (wasEmailGiven) thank(goOn, onward !== null)
      // The button's page first: browsers of apps open it here, and going on would stop it.
      else if (dialog.returnValue && document.visibilityState === 'visible') setTimeout(goOn, 2000)
      else goOn()
    })
    dialog.addEventListener('pointerdown', (event) => {
      wasPressedOutside = event.target === dialog
    })
    dialog.addEventListener('click', (event) => {
      const target = event.target instanceof Element ? event.target : dialog
      const closer = target.closest('[data-close]')
      if (closer) close(closer.getAttribute('data-close') as PopupAction)
      else if (isModal && wasPressedOutside && target === dialog) close('closed-backdrop')
      else if (target.closest('a[data-cta]')) {
        report('clicked')
        setTimeout(() => dialog.close('clicked'), 50)
      }
    })
    // Fires on Escape, and on the back gesture of phones, which presses no key.
    dialog.addEventListener('cancel', () => report('closed-escape'))
    dialog.addEventListener('submit', (event) => {
      keep(event, () => {
        report('emailed')
        wasEmailGiven = true
        setTimeout(close, 50)
      })
    })
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && dialog.open && !share?.open) close('closed-escape')
    })
    window.addEventListener('resize', () => makeRoom(dialog))
    const image = dialog.querySelector('img')
    image?.addEventListener('error', () => image.remove())
    image?.addEventListener('load', () => makeRoom(dialog))

    function show(): void {
      try {
        if (hasLeft) return
        if (share?.open) return void setTimeout(show, 500)
        focusBefore = document.activeElement
        makeRoom(dialog)
        dialog[isModal ? 'showModal' : 'show']()
        wasOpened = dialog.open
        if (!wasOpened) return goOn()
        report('shown')
        shown.add(id)
        // Not the first button, which would open with a focus ring: from here arrow keys scroll and Tab goes on.
        dialog.querySelector<HTMLElement>('.hp-popup-scroll')?.focus()
        makeRoom(dialog)
      } catch {
        if (!wasOpened) goOn()
      }
    }
    setTimeout(show, delayMs)
    setTimeout(() => {
      if (!wasOpened) goOn()
    }, delayMs + 3000)
  }

  try {
    if (popup) setUp(popup)
    else goOn()
  } catch {
    goOn()
  }
}
