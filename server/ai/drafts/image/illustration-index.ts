import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import * as z from 'zod'
import { curatedWords, excludedNames } from './illustration-words.ts'

const require = createRequire(import.meta.url)

/** A drawing of the icon set by what it is called, for example `red-apple`. */
export type IconName = string

/** Which words of one language mean which drawing. */
export interface SubjectIndex {
  /** By the name of the thing. */
  exact: ReadonlyMap<string, IconName>
  /** The same without endings, for inflected words. */
  stems: ReadonlyMap<string, IconName>
}

/** The languages whose words for things are known. */
export const subjectLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'da',
  'ru',
  'uk',
  'ja',
  'ko',
  'zh',
  'hi',
] as const

export type SubjectLanguage = (typeof subjectLanguages)[number]

const iconSet = z.object({ icons: z.record(z.string(), z.object({ body: z.string() })) })
const codePoints = z.record(z.string(), z.string())
const emojis = z.array(
  z.object({
    label: z.string(),
    hexcode: z.string(),
    group: z.number().optional(),
  }),
)

/** Of Unicode's groups: animals and nature, food and drink, travel and places, activities, objects. */
const thingGroups = new Set([3, 4, 5, 6, 7])

async function readPackageJson<Shape extends z.ZodType>(
  path: string,
  shape: Shape,
): Promise<z.output<Shape>> {
  return shape.parse(JSON.parse(await readFile(require.resolve(path), 'utf8')))
}

/** Loads something once, when it is first needed; a failure is tried again. */
function lazily<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

/** The drawings, each as the inside of a 32 by 32 SVG. The file has 9 MB, so nothing but an image request reads it. */
export const loadIcons = lazily(async (): Promise<ReadonlyMap<IconName, string>> => {
  const { icons } = await readPackageJson('@iconify-json/fluent-emoji-flat/icons.json', iconSet)
  return new Map(
    Object.entries(icons)
      // People come in six tones; the plain one is enough.
      .filter(([name]) => !isToneOf(name, icons))
      .map(([name, { body }]) => [name, body]),
  )
})

function isToneOf(name: string, icons: object): boolean {
  const plain = name.replace(/-(medium-light|medium-dark|light|medium|dark)$/, '')
  return plain !== name && Object.hasOwn(icons, `${plain}-medium-light`)
}

const loadNames = lazily(async () => {
  const chars = await readPackageJson('@iconify-json/fluent-emoji-flat/chars.json', codePoints)
  return new Map(Object.entries(chars).map(([code, name]) => [plainCode(code), name]))
})

const indexes = new Map<SubjectLanguage, () => Promise<SubjectIndex>>(
  subjectLanguages.map((language) => [language, lazily(() => buildIndex(language))]),
)

/** The words of a language, read from Unicode's annotations when they are first needed. */
export function loadSubjects(language: SubjectLanguage): Promise<SubjectIndex> {
  const load = indexes.get(language)
  if (!load) throw new Error(`no index for ${language}`)
  return load()
}

async function buildIndex(language: SubjectLanguage): Promise<SubjectIndex> {
  const names = await loadNames()
  const all = await readPackageJson(`emojibase-data/${language}/data.json`, emojis)
  const things = all.flatMap(({ label, hexcode, group }) => {
    const icon = names.get(plainCode(hexcode))
    if (icon === undefined || group === undefined || !thingGroups.has(group)) return []
    return [{ icon, label: normalize(label) }]
  })
  // Only whole names: a tag such as 'table' or 'quality' would draw ping-pong or a lotus.
  const exact = new Map<string, IconName>()
  for (const [word, icon] of curatedWords(language)) exact.set(normalize(word), icon)
  for (const { label, icon } of things) {
    if (label.length < minNameLength(language) || excludedNames.has(label)) continue
    if (!exact.has(label)) exact.set(label, icon)
  }
  const stems = new Map<string, IconName>()
  for (const [word, icon] of exact) {
    for (const stem of stemsOf(word, language)) if (!stems.has(stem)) stems.set(stem, icon)
  }
  return { exact, stems }
}

/** Shorter names are frequent words too: 'dés' are dice, 'nó' is a knot. */
function minNameLength(language: SubjectLanguage): number {
  if (language === 'ja' || language === 'zh' || language === 'ko') return 2
  return language === 'en' ? 2 : 4
}

/** A word as it is compared: lower case, Latin letters without accents. */
export function normalize(text: string): string {
  const lower = text.toLowerCase().trim()
  return /\p{Script=Latin}/u.test(lower)
    ? lower
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
        .replaceAll('ß', 'ss')
    : lower
}

const endings: Partial<Record<SubjectLanguage, readonly string[]>> = {
  en: ['s', 'es'],
  ru: ['ами', 'ями', 'ов', 'ев', 'ей', 'ом', 'ой', 'ах', 'ях', 'ы', 'и', 'а', 'я', 'у', 'ю', 'е'],
  uk: ['ами', 'ями', 'ів', 'їв', 'ей', 'ом', 'ою', 'ах', 'ях', 'и', 'і', 'а', 'я', 'у', 'ю'],
  pl: ['ami', 'ow', 'ach', 'em', 'om', 'a', 'e', 'i', 'y', 'u'],
  ja: [],
  ko: [],
  zh: [],
  hi: ['ों', 'ें', 'ियाँ'],
}
const commonEndings = ['en', 'er', 'es', 'em', 'as', 'os', 'n', 'e', 's', 'a', 'o', 'i', 'r']

/** The word and what remains of it without an ending; at least three letters. */
export function stemsOf(word: string, language: SubjectLanguage): string[] {
  const cut = (endings[language] ?? commonEndings)
    .filter((ending) => word.endsWith(ending))
    .map((ending) => word.slice(0, -ending.length))
  if (language === 'en' && word.endsWith('ies')) cut.push(`${word.slice(0, -3)}y`)
  return [word, ...cut].filter((stem) => stem.length > 2)
}

/** Without variation selectors, which the two data sets write differently. */
function plainCode(code: string): string {
  return code.toLowerCase().replace(/-fe0f/g, '')
}
