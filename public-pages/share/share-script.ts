/** Words of the script after a copy. */
export interface ShareWords {
  copyLink: string
  copied: string
  copiedStatus: string
  copyFailed: string
  copyFailedStatus: string
  pasteStatus: string
  copyAboveStatus: string
}

/**
 * Runs in the visitor's page, as source text like popup-script.ts: it must not use anything outside itself. It turns
 * the share popover into a modal dialog and copies the address of the page.
 */
export function runShareScript(words: ShareWords): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.hp-share')
  if (!dialog) return
  let wasPressedOutside = false
  document.querySelector('[data-share]')?.addEventListener('click', (event) => {
    event.preventDefault()
    // The page does not scroll now; the room of its scroll bar stays.
    const root = document.documentElement
    if (window.innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable'
    dialog.showModal()
  })
  dialog.querySelector('[data-share-close]')?.addEventListener('click', (event) => {
    event.preventDefault()
    dialog.close()
  })
  dialog.addEventListener('pointerdown', (event) => {
    wasPressedOutside = event.target === dialog
  })
  dialog.addEventListener('click', (event) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    const isOutside = x < left || x > right || y < top || y > bottom
    if (wasPressedOutside && isOutside && event.target === dialog) dialog.close()
  })

  const copy = dialog.querySelector<HTMLButtonElement>('[data-copy]')
  const label = dialog.querySelector('[data-copy-label]')
  const status = dialog.querySelector('[data-copied]')
  if (!copy || !label || !status) return
  copy.hidden = false

  // Without https the clipboard is closed to pages; the address can be selected in the card above.
  async function copyAddress(): Promise<void> {
    await navigator.clipboard.writeText(copy?.dataset['copy'] ?? '')
  }

  const announce = (text: string, sentence: string) => {
    label.textContent = text
    status.textContent = sentence
    setTimeout(() => {
      label.textContent = words.copyLink
      status.textContent = ''
    }, 2000)
  }

  // The new tab opens in any case; there the address only has to be pasted.
  dialog.querySelector('[data-paste]')?.addEventListener('click', () => {
    copyAddress().then(
      () => {
        status.textContent = words.pasteStatus
      },
      () => {
        status.textContent = words.copyAboveStatus
      },
    )
  })
  copy.addEventListener('click', () => {
    copyAddress().then(
      () => announce(words.copied, words.copiedStatus),
      () => announce(words.copyFailed, words.copyFailedStatus),
    )
  })
}
