import { useEffect, useRef } from 'react'
import { Toaster as Toasts, type ToasterProps, useSonner } from 'sonner'

export { toast } from 'sonner'

/** Toasts, told in an open dialog as well: behind a modal dialog a screen reader hears nothing of the page. */
export function Toaster(props: ToasterProps) {
  const { id, title, description } = useSonner().toasts[0] ?? {}
  const words = [title, description].filter((part) => typeof part === 'string').join('. ')
  /** Id of the last announced toast: when it goes, an older one is the first again. */
  const told = useRef(0)
  useEffect(() => {
    const dialog = [...document.querySelectorAll('dialog:modal')].at(-1)
    if (dialog === undefined || typeof id !== 'number' || id <= told.current) return undefined
    const region = document.createElement('output')
    region.className = 'sr-only'
    dialog.append(region)
    // A region tells of words that come later than itself. A refused field with the focus tells its problem itself.
    const timer = setTimeout(() => {
      told.current = id
      if (dialog.querySelector(':focus[aria-invalid]') === null) region.textContent = words
    }, 100)
    return () => {
      clearTimeout(timer)
      region.remove()
    }
  }, [id, words])
  return <Toasts {...props} />
}
