import type { PopupAction } from '#domain/popup-actions.ts'
import type { ReportPopupAction } from './popup-beacon.ts'

/**
 * Runs in the visitor's page. The server writes the source text of this function into the page, so it must not use
 * anything outside itself. It shows the popup once per browser session and redirects when the popup is closed; after an
 * email address was given, it says thank you first. A popup that fails for any reason redirects at once.
 */
export function runPopupScript(report: ReportPopupAction): void {
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

  // The popups that this browser session has shown, newest last: the first eight digits of each id. All tabs share a
  // session cookie, and it goes with the session. The server never reads it.
  function shownPopups(): string[] {
    const value = /(?:^|; )hoplet_popups=([0-9a-f.]+)/.exec(document.cookie)?.[1]
    return value === undefined ? [] : value.split('.')
  }

  function rememberShown(id: string): void {
    const secure = window.location.protocol === 'https:' ? '; secure' : ''
    const ids = [...shownPopups(), id].slice(-20).join('.')
    document.cookie = `hoplet_popups=${ids}; path=/; samesite=strict${secure}`
  }

  /** Says thank you, and lets the visitor read it: the answer to the form came in another tab, which hides this one. */
  function thank(): void {
    const note = document.querySelector<HTMLElement>('[data-thanks]')
    if (!note) return goOn()
    note.textContent = note.dataset['thanks'] ?? ''
    const afterReading = (): void => {
      if (document.visibilityState === 'hidden')
        document.addEventListener('visibilitychange', afterReading, { once: true })
      else if (onward) setTimeout(goOn, 2000)
      else setTimeout(() => (note.textContent = ''), 8000)
    }
    afterReading()
  }

  /** Lets the page's links move or scroll out from under a popup that is not modal. */
  function makeRoom(dialog: HTMLDialogElement): void {
    const side = dialog.classList.contains('hp-popup-at-top') ? 'Top' : 'Bottom'
    const [body, root] = [document.body.style, document.documentElement.style]
    body[`padding${side}`] = root[`scrollPadding${side}`] = ''
    if (!dialog.open || dialog.classList.contains('hp-popup-at-center')) return
    const room = dialog.offsetHeight + 32
    const card = dialog.getBoundingClientRect()
    const isCovered = [...document.querySelectorAll('main a, main button')].some((link) => {
      const { left, right, top, bottom, width } = link.getBoundingClientRect()
      const fromTop = top + window.scrollY
      const fromBottom = document.documentElement.scrollHeight - bottom - window.scrollY
      const isBeside = left >= card.right || right <= card.left
      return (
        width > 0 &&
        !isBeside &&
        !link.closest('dialog') &&
        (side === 'Top' ? fromTop : fromBottom) < room
      )
    })
    if (!isCovered) return
    body[`padding${side}`] = root[`scrollPadding${side}`] = `${room}px`
    // The last link of the page between a short link and its destination; the link onward is just above it.
    document.querySelector('.hp-way .hp-report')?.scrollIntoView({ block: 'nearest' })
  }

  function setUp(dialog: HTMLDialogElement): void {
    const id = (dialog.dataset['popup'] ?? '').slice(0, 8)
    if (shownPopups().includes(id)) return goOn()
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
      if (wasEmailGiven) thank()
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
        // The new tab first, then away.
        setTimeout(close, 50)
      }
    })
    // Fires on Escape, and on the back gesture of phones, which presses no key.
    dialog.addEventListener('cancel', () => report('closed-escape'))
    dialog.addEventListener('submit', () => {
      report('emailed')
      wasEmailGiven = true
      setTimeout(close, 50)
    })
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && dialog.open && !share?.open) close('closed-escape')
    })
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
    window.addEventListener('resize', () => makeRoom(dialog))
    const image = dialog.querySelector('img')
    image?.addEventListener('error', () => image.remove())
    image?.addEventListener('load', () => makeRoom(dialog))

    function show(): void {
      try {
        if (hasLeft) return
        if (share?.open) return void setTimeout(show, 500)
        focusBefore = document.activeElement
        if (isModal) dialog.showModal()
        else dialog.show()
        wasOpened = dialog.open
        if (!wasOpened) return goOn()
        report('shown')
        rememberShown(id)
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
