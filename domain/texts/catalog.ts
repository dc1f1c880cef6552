import { type TextLanguage, textLanguages } from './languages.ts'

/** A text with gaps like `{name}`, or a text per plural form of its number `{count}`. */
export type CatalogText = string | Readonly<Partial<Record<Intl.LDMLPluralRule, string>>>

/** The texts of one area in one language, by section and name. */
export type TextCatalog = Readonly<Record<string, Readonly<Record<string, CatalogText>>>>

/** Makes a text from the values of its gaps: `texts.bio.join({ title: 'maya' })`. The gap `{count}` takes a number. */
export type Message<Gap extends string = never> = [Gap] extends [never]
  ? () => string
  : (values: { readonly [Name in Gap]: Name extends 'count' ? number : string }) => string

type Values = Readonly<Record<string, string | number>>

/** The messages of a catalog, or of some sections. `Messages` is generated from it (catalogs.generated.ts). */
export function messagesOf<Messages>(catalog: TextCatalog, language: TextLanguage): Messages {
  const sections = Object.entries(catalog).map(([section, texts]) => {
    const write = (name: string) => (values?: Values) => writeText(texts[name], values, language)
    return [section, Object.fromEntries(Object.keys(texts).map((name) => [name, write(name)]))]
  })
  return Object.fromEntries(sections) as Messages
}

function writeText(text: CatalogText = '', values: Values = {}, language: TextLanguage): string {
  const chosen = typeof text === 'string' ? text : formOf(text, values['count'], language)
  return chosen.replaceAll(/\{(\w+)\}/g, (gap, name: string) => {
    const value = values[name] ?? gap
    return typeof value === 'number' ? formatNumber(value, language) : value
  })
}

function formOf(
  forms: Exclude<CatalogText, string>,
  count: string | number | undefined,
  language: TextLanguage,
): string {
  const form = new Intl.PluralRules(language).select(Number(count))
  return forms[form] ?? forms.other ?? ''
}

/** 1234 becomes `1,234`. */
export function formatNumber(value: number, language: TextLanguage): string {
  return new Intl.NumberFormat(textLanguages[language].locale).format(value)
}
