import { useEffect } from 'react'
import { looks } from '#domain/bio/looks.ts'
import { lookFont } from '#public-pages/bio/look-fonts.ts'

let isDone = false

/** Makes the fonts of the looks known; the browser loads each one when a text first needs it. */
export function useLookFonts(): void {
  useEffect(() => {
    if (isDone) return
    isDone = true
    for (const { id } of looks) {
      const { family, path } = lookFont(id)
      document.fonts.add(
        new FontFace(family, `url(${path}) format("woff2")`, {
          weight: '400 700',
          display: 'swap',
        }),
      )
    }
  }, [])
}
