import { z } from 'zod'
import { listed, readBlocks } from '../data-file.ts'
import { type Language, languages } from '../language.ts'
import { normalize } from '../normalize.ts'
import illustrationsFile from './illustrations.txt?raw'

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

const indexes = new Map<Language, Promise<SubjectIndex>>()

/** The drawings, each as the inside of a 32 by 32 SVG. They have 1.7 MB, so nothing but an image request loads them. */
export async function loadIcons(): Promise<ReadonlyMap<string, string>> {
  return new Map(Object.entries((await loadDrawings()).icons))
}

/** The words of a language, indexed when they are first needed. */
export function loadSubjects(language: Language): Promise<SubjectIndex> {
  const index = indexes.get(language) ?? buildIndex(language)
  indexes.set(language, index)
  return index
}

async function loadDrawings() {
  return (await import('./illustrations.txt?drawings')).default
}

async function buildIndex(language: Language): Promise<SubjectIndex> {
  const { names } = await loadDrawings()
  const exact = new Map<string, string>()
  for (const { drawing: [icon = ''] = [], [language.code]: words = [] } of illustrations) {
    for (const word of words) exact.set(normalize(word), icon)
  }
  // Only whole names: a tag such as 'table' or 'quality' would draw ping-pong or a lotus.
  for (const [label, icon] of names[language.code] ?? []) {
    const name = normalize(label)
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

/** The word and its stems of at least three letters. */
export function stemsOf(word: string, { code, endings = [] }: Language): string[] {
  const cut = endings
    .filter((ending) => word.endsWith(ending))
    .map((ending) => word.slice(0, -ending.length))
  if (code === 'en' && word.endsWith('ies')) cut.push(`${word.slice(0, -3)}y`)
  return [word, ...cut].filter((stem) => stem.length > 2)
}
