import { messagesOf } from './catalog.ts'
import type { VisitorTexts } from './catalogs.generated.ts'
import english from './en/visitor.json' with { type: 'json' }
import type { TextLanguage } from './languages.ts'

const texts: Readonly<Record<TextLanguage, VisitorTexts>> = { en: messagesOf(english, 'en') }

/** The texts of all pages for visitors. */
export function visitorTexts(language: TextLanguage): VisitorTexts {
  return texts[language]
}
