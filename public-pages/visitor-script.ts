/**
 * Runs in the visitor's page, as text: the server writes this function's source into the page, so it must not use
 * anything from outside itself. It shows the popup, leads on afterwards, and opens the share dialog. A popup that
 * fails, whatever the reason, leads on at once.
 */
export function runVisitorScript(): void {
  const onward = document.querySelector<HTMLAnchorElement>('a[data-onward]')
  const popup = document.querySelector<HTMLDialogElement>('dialog.hp-popup')
  const share = document.querySelector<HTMLDialogElement>('dialog.hp-share')
  let left = false

  function goOn(): void {
    const destination = onward?.getAttribute('href')
    if (left || !destination) return
    left = true
    // Not `assign`: the way back from the destination must not lead into the popup again.
    window.location.replace(destination)
  }

  function wasShown(key: string): boolean {
    try {
      return sessionStorage.getItem(key) !== null
    } catch {
      return false
    }
  }

  function markShown(key: string): void {
    try {
      sessionStorage.setItem(key, '1')
    } catch {
      // Storage is switched off: then the popup comes again next time.
    }
  }

  function arrange(dialog: HTMLDialogElement): void {
    const key = `hoplet.popup.${dialog.dataset['popup']}`
    if (wasShown(key)) return goOn()
    const isModal = dialog.classList.contains('hp-popup-at-center')
    const delay = Math.min(10, Math.max(0, Number(dialog.dataset['delay']) || 0)) * 1000
    let wasOpened = false
    let pressedOutside = false
    let focusBefore: Element | null = null

    function close(): void {
      if (dialog.open) dialog.close()
      else goOn()
    }

    dialog.addEventListener('close', () => {
      if (focusBefore instanceof HTMLElement) focusBefore.focus()
      goOn()
    })
    dialog.addEventListener('pointerdown', (event) => {
      pressedOutside = event.target === dialog
    })
    dialog.addEventListener('click', (event) => {
      const target = event.target instanceof Element ? event.target : dialog
      if (target.closest('[data-close]') || (isModal && pressedOutside && target === dialog))
        close()
      // The new tab first, then away.
      else if (target.closest('a[data-cta]')) setTimeout(close, 50)
    })
    dialog.addEventListener('submit', () => setTimeout(close, 50))
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && dialog.open && !share?.open) close()
    })
    const image = dialog.querySelector('img')
    image?.addEventListener('error', () => image.remove())

    function show(): void {
      try {
        if (left) return
        if (share?.open) return void setTimeout(show, 500)
        focusBefore = document.activeElement
        if (isModal) dialog.showModal()
        else dialog.show()
        wasOpened = dialog.open
        if (wasOpened) markShown(key)
        else goOn()
      } catch {
        goOn()
      }
    }
    setTimeout(show, delay)
    setTimeout(() => {
      if (!wasOpened) goOn()
    }, delay + 3000)
  }

  function arrangeShare(dialog: HTMLDialogElement): void {
    let pressedOutside = false
    document.querySelector('[data-share]')?.addEventListener('click', (event) => {
      event.preventDefault()
      dialog.showModal()
    })
    dialog.querySelector('[data-share-close]')?.addEventListener('click', (event) => {
      event.preventDefault()
      dialog.close()
    })
    dialog.addEventListener('pointerdown', (event) => {
      pressedOutside = event.target === dialog
    })
    dialog.addEventListener('click', (event) => {
      const { left: x, right, top, bottom } = dialog.getBoundingClientRect()
      const isOutside =
        event.clientX < x || event.clientX > right || event.clientY < top || event.clientY > bottom
      if (pressedOutside && isOutside && event.target === dialog) dialog.close()
    })
    const copy = dialog.querySelector<HTMLButtonElement>('[data-copy]')
    const label = dialog.querySelector('[data-copy-label]')
    const said = dialog.querySelector('[data-copied]')
    if (!copy || !label || !said) return
    copy.hidden = false
    const say = (text: string, sentence: string) => {
      label.textContent = text
      said.textContent = sentence
      setTimeout(() => {
        label.textContent = 'Copy Link'
        said.textContent = ''
      }, 2000)
    }
    // The new tab opens all the same; there the address only has to be pasted.
    dialog.querySelector('[data-paste]')?.addEventListener('click', () => {
      copyText(copy.dataset['copy'] ?? '').then(
        () => {
          said.textContent = 'Link copied: paste it into your message'
        },
        () => {
          said.textContent = 'Copy the address above into your message'
        },
      )
    })
    copy.addEventListener('click', () => {
      copyText(copy.dataset['copy'] ?? '').then(
        () => say('Copied!', 'Link copied to clipboard'),
        () => say('Failed to copy', 'Please try again'),
      )
    })
  }

  // Without https the clipboard is closed to pages; the address stands in the card above to be selected.
  async function copyText(text: string): Promise<void> {
    await navigator.clipboard.writeText(text)
  }

  try {
    if (popup) arrange(popup)
    else goOn()
  } catch {
    goOn()
  }
  if (share) arrangeShare(share)
}
