import { messagesOf } from './catalog.ts'
import type { MailTexts } from './catalogs.generated.ts'
import english from './en/mail.json' with { type: 'json' }
import type { TextLanguage } from './languages.ts'

const texts: Readonly<Record<TextLanguage, MailTexts>> = { en: messagesOf(english, 'en') }

/** The texts of all mails. */
export function mailTexts(language: TextLanguage): MailTexts {
  return texts[language]
}
