let typedAt: string | undefined

/** Remembers the screen of the last input. */
export function watchInput(): void {
  const remember = () => {
    typedAt = window.location.pathname
  }
  document.addEventListener('input', remember, true)
}

/** Whether leaving would lose input: typed on this screen, in an open dialog, or in an editor that holds the way out. */
export function hasUnsavedInput(): boolean {
  return (
    typedAt === window.location.pathname ||
    document.querySelector('dialog[open]') !== null ||
    !window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  )
}
