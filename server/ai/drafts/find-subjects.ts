import {
  type IconName,
  loadSubjects,
  normalize,
  stemsOf,
  type SubjectIndex,
  type SubjectLanguage,
  subjectLanguages,
} from './illustration-index.ts'
import { languageOf } from './language.ts'

const maxSubjects = 3

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
  for (const language of subjectLanguages) {
    if (found.length > 0) break
    if (language !== own)
      found.push(...namedElsewhere(text, language, await loadSubjects(language)))
  }
  const things = found.filter((icon) => !notions.has(icon))
  const named = [...new Set([...things, ...found])]
  return named.slice(0, maxSubjects)
}

function namedIn(text: string, language: SubjectLanguage, index: SubjectIndex): IconName[] {
  return isSpaced(language)
    ? wordsIn(text, (words) => iconFor(words, language, index))
    : substringsIn(text, index)
}

/** In a language that the prompt is probably not written in: whole words only, and none that is short by chance. */
function namedElsewhere(text: string, language: SubjectLanguage, { exact }: SubjectIndex) {
  return isSpaced(language)
    ? wordsIn(text, (words) => (words.length > 3 ? exact.get(words) : undefined))
    : []
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
  const words = text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? []
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

function iconFor(
  word: string,
  language: SubjectLanguage,
  index: SubjectIndex,
): IconName | undefined {
  const exact = index.exact.get(word)
  if (exact !== undefined) return exact
  for (const stem of stemsOf(word, language)) {
    const icon = language === 'en' ? index.exact.get(stem) : index.stems.get(stem)
    if (icon !== undefined && (stem.length > 3 || language === 'en')) return icon
  }
  return compounding.has(language) ? compoundFor(word, language, index) : undefined
}

const compounding: ReadonlySet<SubjectLanguage> = new Set(['de', 'nl', 'sv', 'da'])

/** 'Winterjacken' is a kind of 'Jacke', 'Blumenladen' has to do with 'Blumen'. */
function compoundFor(
  word: string,
  language: SubjectLanguage,
  index: SubjectIndex,
): IconName | undefined {
  for (let at = 3; at <= word.length - 4; at++) {
    const icon = simpleWord(word.slice(at), language, index)
    if (icon !== undefined) return icon
  }
  for (let end = word.length - 3; end >= 4; end--) {
    const icon = simpleWord(word.slice(0, end), language, index)
    if (icon !== undefined) return icon
  }
  return undefined
}

function simpleWord(word: string, language: SubjectLanguage, index: SubjectIndex) {
  return stemsOf(word, language)
    .filter((stem) => stem.length > 3)
    .map((stem) => index.exact.get(stem) ?? index.stems.get(stem))
    .find((icon) => icon !== undefined)
}
