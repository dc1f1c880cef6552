import mail from '#domain/texts/en/mail.json'
import visitor from '#domain/texts/en/visitor.json'
import { textLanguages } from '#domain/texts/languages.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = 'åƀçđéƒğĥíĵķľɱñöþɋŕşţûṽŵẋýžÅɃÇĐÉƑĞĤÍĴĶĽṀÑÖÞɊŔŞŢÛṼŴẊÝŽ'

/** A text without a Latin letter, 40 % longer. Its gaps stay. */
export function pseudoText(text: string): string {
  const parts = text.split(/(\{\w+\})/)
  const words = parts.map((part, i) =>
    i % 2 === 1
      ? part
      : part.replaceAll(/[a-z]/gi, (letter) => accented.charAt(letters.indexOf(letter))),
  )
  return words.join('') + 'é'.repeat(Math.ceil(text.length * 0.4))
}

type Section = Record<string, string | Record<string, string>>

/** Both catalogs, as their modules hold them. */
const catalogs: readonly Record<string, Section>[] = [visitor, mail]

/**
 * Replaces the texts of both catalogs by the pseudo-language, in this process: pages and mails read them when they are made.
 * Its dates are Greek and it runs from right to left. Returns the way back.
 */
export function speakPseudo(): () => void {
  const before = structuredClone({ catalogs, en: textLanguages.en })
  for (const section of catalogs.flatMap((catalog) => Object.values(catalog)))
    for (const [name, text] of Object.entries(section))
      section[name] =
        typeof text === 'string'
          ? pseudoText(text)
          : Object.fromEntries(Object.entries(text).map(([form, each]) => [form, pseudoText(each)]))
  Object.assign(textLanguages.en, { locale: 'el', direction: 'rtl' })
  return () => {
    for (const [i, catalog] of catalogs.entries())
      for (const [name, section] of Object.entries(catalog))
        Object.assign(section, before.catalogs[i]?.[name])
    Object.assign(textLanguages.en, before.en)
  }
}

/** Names that are the same in each language, and data of tests. */
const properNames =
  /\b(?:Hoplet|Facebook|WhatsApp|LinkedIn|Messenger|Snapchat|Instagram|YouTube|X|UTC|mayafields|M|hop_1234|xn--[\w.-]+\w)\b/g

/** Words of a page or an email that are in no catalog: those with Latin letters. Addresses are left out. */
export function latinWords(text: string): string[] {
  const words = text
    .replaceAll(/https?:\/\/[^\s"<]+/g, '')
    .replaceAll(properNames, '')
    .match(/[^\s]*[a-z][^\s]*/gi)
  return words ?? []
}

const shownAttributes =
  /\s(?:aria-label|aria-description|placeholder|alt|title|data-thanks|label)="([^"]*)"/g
const shownMeta =
  /<meta (?:name|property)="(?:description|og:title|og:description|og:image:alt)" content="([^"]*)"/g

/** The texts of a document that a person reads or hears, with those that its scripts say. */
export function shownTexts(html: string): string[] {
  const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].flatMap(([, source = '']) =>
    sentencesIn(source),
  )
  const body = html.replaceAll(/<(script|style)\b[^]*?<\/\1>/g, '')
  const attributes = [...body.matchAll(shownAttributes), ...body.matchAll(shownMeta)]
  return [...attributes.map(([, text = '']) => text), ...body.split(/<[^>]*>/), ...scripts]
    .map((text) => unescaped(text).trim())
    .filter((text) => text !== '')
}

/** Literals of a script that begin like a sentence; names of DOM have no blank and no mark. */
function sentencesIn(source: string): string[] {
  const code = source.replaceAll(/\/\*[^]*?\*\/|(?<=^\s*)\/\/.*$/gm, '')
  return [...code.matchAll(/(["'`])([A-Z][^"'`\n]*[ !?.][^"'`\n]*)\1/g)].map(
    ([, , text = '']) => text,
  )
}

export function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
