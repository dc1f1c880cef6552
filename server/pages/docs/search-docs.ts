import { LRUCache } from 'lru-cache'
import { type DocsFile, documentPaths, readDocument } from './files.ts'
import { type DocsGroup, groupsOf, sectionsOf as sectionsIn } from './render-markdown.ts'

/** A part of an excerpt; the marked ones are words of the query. */
export interface ExcerptPart {
  text: string
  isFound: boolean
}

/** A section of a document that has all words of a query. */
export interface DocsHit {
  /** Title of the document. */
  title: string
  /** Its heading; undefined above the first one. */
  heading: string | undefined
  href: string
  excerpt: readonly ExcerptPart[]
}

interface Section extends Omit<DocsHit, 'excerpt'> {
  text: string
  /** Words of the title, of the heading and of the text: lower case, with a space before each. */
  titleWords: string
  headingWords: string
  textWords: string
  weight: number
}

const maxQueryLength = 100
const maxWords = 8
const maxHits = 20
const excerptLength = 180

const found = new LRUCache<string, readonly DocsHit[]>({ max: 200 })
let sections: Promise<readonly Section[]> | undefined

/** The sections of the documents with all words of a query, or with words that begin so; the best first. */
export async function searchDocs(query: string): Promise<readonly DocsHit[]> {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const key = words.join(' ')
  const known = found.get(key)
  if (known !== undefined) return known
  sections ??= readSections()
  const hits = (await sections)
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxHits)
    .map(({ section }) => hitOf(section, words))
  found.set(key, hits)
  return hits
}

function wordsOf(query: string): string[] {
  const words = plainWords(query.slice(0, maxQueryLength)).split(' ')
  return [...new Set(words.filter((word) => word !== ''))].slice(0, maxWords)
}

/** Lower case, with spaces instead of everything that is no letter and no digit; as long as the text. */
function plainWords(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, (other) => ' '.repeat(other.length))
}

/** 0 when a word is missing. Headings count more than text, and documents of the index more than decisions. */
function scoreOf(
  { titleWords, headingWords, textWords, weight }: Section,
  words: readonly string[],
) {
  let score = 0
  for (const word of words.map((each) => ` ${each}`)) {
    const inHeading = headingWords.includes(word)
    const inTitle = titleWords.includes(word)
    const times = textWords.split(word).length - 1
    if (!inHeading && !inTitle && times === 0) return 0
    score += (inHeading ? 20 : 0) + (inTitle ? 10 : 0) + Math.min(times, 5)
  }
  return score * weight
}

function hitOf(
  { title, heading, href, text, textWords }: Section,
  words: readonly string[],
): DocsHit {
  const first = words
    .map((word) => textWords.indexOf(` ${word}`))
    .filter((at) => at >= 0)
    .sort((a, b) => a - b)[0]
  const wanted = Math.max(0, (first ?? 0) - 60)
  const start = wanted === 0 ? 0 : text.indexOf(' ', wanted) + 1
  const end = start + excerptLength
  const cut = text.length <= end ? text.length : Math.max(text.lastIndexOf(' ', end), start)
  const shown = text.slice(start, cut)
  const marks = new RegExp(`(?<![\\p{L}\\p{N}])((?:${words.join('|')})[\\p{L}\\p{N}]*)`, 'giu')
  const parts = shown.split(marks).map((part, index) => ({ text: part, isFound: index % 2 === 1 }))
  const excerpt = [
    { text: start === 0 ? '' : '… ', isFound: false },
    ...parts,
    { text: cut === text.length ? '' : ' …', isFound: false },
  ].filter((part) => part.text !== '')
  return { title, heading, href, excerpt }
}

async function readSections(): Promise<readonly Section[]> {
  const index = await readDocument('')
  const groups = index === undefined ? [] : groupsOf(index)
  const read = await Promise.all(
    documentPaths().map(async (path) => {
      const document = await readDocument(path)
      return document === undefined ? [] : sectionsOf(path, document, weightOf(path, groups))
    }),
  )
  return read.flat()
}

/** The groups of the index come in the order of their readers: those who use it, run it, change it. */
function weightOf(path: string, groups: readonly DocsGroup[]): number {
  const group = groups.findIndex(({ pages }) => pages.some((page) => page.path === path))
  return group === -1 ? 1 : 1 + (groups.length - group)
}

function sectionsOf(path: string, document: DocsFile, weight: number): Section[] {
  const page = `/docs${path === '' ? '' : `/${path}`}`
  const read = sectionsIn(document)
  const title = read.find(({ depth }) => depth === 1)?.heading ?? path
  return read.map(({ depth, heading, id, text }) => ({
    title,
    heading: depth === 1 ? undefined : heading,
    href: depth === 1 ? page : `${page}#${id}`,
    text,
    titleWords: ` ${plainWords(title)}`,
    headingWords: ` ${plainWords(heading)}`,
    textWords: ` ${plainWords(text)}`,
    weight,
  }))
}
