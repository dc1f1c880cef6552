export type MakeRoomForPopup = (dialog: HTMLDialogElement) => void

/**
 * Lets the page's links move or scroll out from under a popup that is not modal. Runs in the visitor's page, as source text
 * like popup-script.ts.
 */
export function makeRoomForPopup(dialog: HTMLDialogElement): void {
  const side = dialog.classList.contains('hp-popup-at-top') ? 'Top' : 'Bottom'
  const [body, root] = [document.body.style, document.documentElement.style]
  // Behind a modal popup the page has no scroll bar; its room stays.
  if (window.innerWidth > document.documentElement.clientWidth) root.scrollbarGutter = 'stable'
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
