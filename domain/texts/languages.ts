/** Languages of pages for visitors and of mails. Each has a folder with its catalogs beside this file. */
export type TextLanguage = 'en'

interface LanguageFacts {
  /** Its dates and numbers. */
  locale: string
  direction: 'ltr' | 'rtl'
}

export const textLanguages: Readonly<Record<TextLanguage, LanguageFacts>> = {
  en: { locale: 'en-US', direction: 'ltr' },
}

/** The language of every page and mail, until visitors or owners can choose. */
export const defaultLanguage: TextLanguage = 'en'
