import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { listed, readBlocks } from '../data-file.ts'
import { type Language, languages } from '../language.ts'
import { normalize } from '../normalize.ts'
import illustrationsFile from './illustrations.txt?raw'

const require = createRequire(import.meta.url)

const illustrationKeys = ['drawing', 'kind', 'names', ...languages.map(({ code }) => code)]
const illustrations = readBlocks(
  illustrationsFile,
  z.partialRecord(z.enum(illustrationKeys), listed),
)
const namesThatDrawNothing = new Set(illustrations.flatMap(({ names = [] }) => names))

/** Drawings that stand for an occasion: they accompany a thing when the prompt names one. */
export const notions: ReadonlySet<string> = new Set(
  illustrations.flatMap(({ drawing = [], kind }) => (kind ? drawing : [])),
)

/** Which words of one language mean which drawing of the icon set, for example `red-apple`. */
export interface SubjectIndex {
  /** By the name of the thing. */
  exact: ReadonlyMap<string, string>
  /** The same without endings, for inflected words. */
  stems: ReadonlyMap<string, string>
}

const iconSet = z
  .object({ icons: z.record(z.string(), z.object({ body: z.string() })) })
  .transform((set) => new Map(Object.entries(set.icons).map(([name, { body }]) => [name, body])))
const iconNames = z
  .record(z.string(), z.string())
  .transform(
    (byCode) => new Map(Object.entries(byCode).map(([code, name]) => [plainCode(code), name])),
  )
const emojis = z.array(
  z.object({ label: z.string(), hexcode: z.string(), group: z.number().optional() }),
)

/** Of Unicode's groups: animals and nature, food and drink, travel and places, activities, objects. */
const thingGroups = new Set([3, 4, 5, 6, 7])

async function readPackageJson<Shape extends z.ZodType>(
  path: string,
  shape: Shape,
): Promise<z.output<Shape>> {
  return shape.parse(JSON.parse(await readFile(require.resolve(path), 'utf8')))
}

let icons: Promise<ReadonlyMap<string, string>> | undefined
const indexes = new Map<Language, Promise<SubjectIndex>>()

/** The drawings, each as the inside of a 32 by 32 SVG. The file has 9 MB, so nothing but an image request reads it. */
export function loadIcons(): Promise<ReadonlyMap<string, string>> {
  return (icons ??= readPackageJson('@iconify-json/fluent-emoji-flat/icons.json', iconSet))
}

/** The words of a language, read from Unicode's annotations when they are first needed. */
export function loadSubjects(language: Language): Promise<SubjectIndex> {
  const index = indexes.get(language) ?? buildIndex(language)
  indexes.set(language, index)
  return index
}

async function buildIndex(language: Language): Promise<SubjectIndex> {
  const names = await readPackageJson('@iconify-json/fluent-emoji-flat/chars.json', iconNames)
  const exact = new Map<string, string>()
  for (const { drawing: [icon = ''] = [], [language.code]: words = [] } of illustrations) {
    for (const word of words) exact.set(normalize(word), icon)
  }
  // Only whole names: a tag such as 'table' or 'quality' would draw ping-pong or a lotus.
  for (const { label, hexcode, group } of await readPackageJson(
    `emojibase-data/${language.code}/data.json`,
    emojis,
  )) {
    const icon = names.get(plainCode(hexcode))
    const name = normalize(label)
    if (icon === undefined || group === undefined || !thingGroups.has(group)) continue
    if (name.length < minNameLength(language) || namesThatDrawNothing.has(name)) continue
    if (!exact.has(name)) exact.set(name, icon)
  }
  const stems = new Map<string, string>()
  for (const [word, icon] of exact) {
    for (const stem of stemsOf(word, language)) if (!stems.has(stem)) stems.set(stem, icon)
  }
  return { exact, stems }
}

/** Shorter names are frequent words too: 'dés' are dice, 'nó' is a knot. */
function minNameLength({ code, things }: Language): number {
  return code === 'en' || things === 'characters' ? 2 : 4
}

/** The word and what remains of it without an ending; at least three letters. */
export function stemsOf(word: string, { code, endings = [] }: Language): string[] {
  const cut = endings
    .filter((ending) => word.endsWith(ending))
    .map((ending) => word.slice(0, -ending.length))
  if (code === 'en' && word.endsWith('ies')) cut.push(`${word.slice(0, -3)}y`)
  return [word, ...cut].filter((stem) => stem.length > 2)
}

/** Without variation selectors, which the two data sets write differently. */
function plainCode(code: string): string {
  return code.toLowerCase().replace(/-fe0f/g, '')
}
