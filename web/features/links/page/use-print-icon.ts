import { useEffect } from 'react'
import { hopMarkup } from '#domain/links/hop-print.ts'

const size = 32

/** Shows the print of a code as the icon of the page, as long as the screen is there. */
export function usePrintIcon(code: string): void {
  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
    if (icon === null) return undefined
    const before = icon.href
    const print = hopMarkup(code, { width: size, height: size, ink: 'var(--i)', accent: '#f97a2b' })
    // The tab has the theme of the system.
    const style =
      '<style>svg{--i:#1c1712}@media(prefers-color-scheme:dark){svg{--i:#f5efe6}}</style>'
    icon.href = `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${style}${print}</svg>`)}`
    return () => {
      icon.href = before
    }
  }, [code])
}
