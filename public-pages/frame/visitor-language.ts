import { createContext, use } from 'react'
import type { VisitorTexts } from '#domain/texts/catalogs.generated.ts'
import { defaultLanguage } from '#domain/texts/languages.ts'
import { visitorTexts } from '#domain/texts/visitor-texts.ts'

/** The language of a page. The server gives it (render.tsx); previews in the app have the default. */
export const VisitorLanguage = createContext(defaultLanguage)

/** The texts of a page, in its language. */
export function useVisitorTexts(): VisitorTexts {
  return visitorTexts(use(VisitorLanguage))
}
