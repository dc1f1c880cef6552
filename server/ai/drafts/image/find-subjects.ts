import {
  type IconName,
  loadSubjects,
  normalize,
  stemsOf,
  type SubjectIndex,
  type SubjectLanguage,
  subjectLanguages,
} from './illustration-index.ts'
import { languageOf } from '../language.ts'

const maxSubjects = 3
/** Read of a prompt; things named later are details. */
const maxWords = 60

/** Those that a word alone does not tell apart; the most frequent ones first. */
const latinLanguages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da'] as const

/** Drawings that stand for an occasion: they accompany a thing when the prompt names one. */
const notions: ReadonlySet<IconName> = new Set(
  'label shopping-bags handshake speech-balloon star graduation-cap money-bag calendar briefcase delivery-truck trophy hammer-and-wrench red-heart ticket'.split(
    ' ',
  ),
)

/**
 * The drawings of what a prompt names, things before notions such as a sale; none where it names nothing that can be
 * drawn.
 */
export async function findSubjects(prompt: string): Promise<IconName[]> {
  const guess = languageOf(prompt)
  const text = normalize(prompt)
  const own = subjectLanguages.find((language) => language === guess)
  const found = own ? namedIn(text, own, await loadSubjects(own)) : []
  // 'Tulpen' alone does not tell its language, and 'sneakers' is used in many.
  for (const language of latinLanguages) {
    if (found.length > 0) break
    if (language !== own)
      found.push(...namedElsewhere(text, language, await loadSubjects(language)))
  }
  if (/\d\s?[%٪]/.test(prompt)) found.push('label')
  const things = found.filter((icon) => !notions.has(icon))
  const named = [...new Set([...things, ...found])]
  return named.slice(0, maxSubjects)
}

function namedIn(text: string, language: SubjectLanguage, index: SubjectIndex): IconName[] {
  return isSpaced(language)
    ? wordsIn(text, (words) => iconFor(words, language, index))
    : substringsIn(text, index)
}

/** In a language that the prompt is probably not written in: nothing that may be short by chance. */
function namedElsewhere(text: string, language: SubjectLanguage, index: SubjectIndex) {
  return isSpaced(language) ? wordsIn(text, (words) => iconFor(words, language, index, 5)) : []
}

function isSpaced(language: SubjectLanguage): boolean {
  return language !== 'ja' && language !== 'zh' && language !== 'ko'
}

/** For languages that are written without spaces: the longest known word at each place. */
function substringsIn(prompt: string, { exact }: SubjectIndex): IconName[] {
  const found: IconName[] = []
  for (let at = 0; at < prompt.length;) {
    let length = Math.min(10, prompt.length - at)
    while (length > 0 && !exact.has(prompt.slice(at, at + length))) length--
    const icon = exact.get(prompt.slice(at, at + length))
    if (icon !== undefined) found.push(icon)
    at += Math.max(1, length)
  }
  return found
}

/** Looks up stretches of three, two and one words, the longest first. */
function wordsIn(text: string, look: (words: string) => IconName | undefined): IconName[] {
  const words = (text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? []).slice(0, maxWords)
  const found: IconName[] = []
  for (let at = 0; at < words.length;) {
    let length = Math.min(3, words.length - at)
    let icon: IconName | undefined
    for (; length > 0; length--) {
      icon = look(words.slice(at, at + length).join(' '))
      if (icon !== undefined) break
    }
    if (icon !== undefined) found.push(icon)
    at += Math.max(1, length)
  }
  return found
}

/** @param minLength of what must be known of a word without its ending */
function iconFor(
  word: string,
  language: SubjectLanguage,
  index: SubjectIndex,
  minLength = 3,
): IconName | undefined {
  const exact = index.exact.get(word)
  if (exact !== undefined && (minLength <= 3 || word.length >= 4)) return exact
  const known = language === 'en' ? index.exact : index.stems
  const inflected = firstKnown(stemsOf(word, language), known, Math.max(minLength, 3))
  if (inflected !== undefined || word.includes(' ') || !compounding.has(language)) return inflected
  return compoundFor(word, language, index, Math.max(minLength, 4))
}

const maxCompoundLength = 40

const compounding: ReadonlySet<SubjectLanguage> = new Set(['de', 'nl', 'sv', 'da'])

/** 'Winterjacken' is a kind of 'Jacke', 'Blumenladen' has to do with 'Blumen'. */
function compoundFor(
  word: string,
  language: SubjectLanguage,
  { stems }: SubjectIndex,
  minLength: number,
): IconName | undefined {
  if (word.length > maxCompoundLength) return undefined
  const parts: string[] = []
  for (let at = 3; at <= word.length - minLength; at++) parts.push(word.slice(at))
  for (let end = word.length - 3; end >= minLength; end--) parts.push(word.slice(0, end))
  for (const part of parts) {
    const icon = firstKnown(stemsOf(part, language), stems, minLength)
    if (icon !== undefined) return icon
  }
  return undefined
}

function firstKnown(
  stems: readonly string[],
  known: ReadonlyMap<string, IconName>,
  minLength: number,
): IconName | undefined {
  return stems
    .filter((stem) => stem.length >= minLength)
    .map((stem) => known.get(stem))
    .find((icon) => icon !== undefined)
}
