/** @param goOn leads to the destination. @param hasDestination false on a bio page */
export type ThankVisitor = (goOn: () => void, hasDestination: boolean) => void

/**
 * Says thank you, and lets the visitor read it: the answer to the form came in another tab, which hides this one. Runs in
 * the visitor's page, as source text like popup-script.ts.
 */
export function thankVisitor(goOn: () => void, hasDestination: boolean): void {
  const note = document.querySelector<HTMLElement>('[data-thanks]')
  if (!note) return goOn()
  note.textContent = note.dataset['thanks'] ?? ''
  const afterReading = (): void => {
    if (document.visibilityState === 'hidden')
      document.addEventListener('visibilitychange', afterReading, { once: true })
    else if (hasDestination) setTimeout(goOn, 2000)
    else setTimeout(() => (note.textContent = ''), 8000)
  }
  afterReading()
}
