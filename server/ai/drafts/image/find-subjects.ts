import { type Language, languages, languagesOf } from '../language.ts'
import { longestFirst } from '../longest-first.ts'
import { normalize } from '../normalize.ts'
import { loadSubjects, notions, stemsOf, type SubjectIndex } from './illustration-index.ts'
import { ifDefined } from '../../../primitives/if-defined.ts'

const maxSubjects = 3
/** Read of a prompt; things named later are details. */
const maxWords = 60
const maxCompoundLength = 40

/** Those that a word alone does not tell apart; the most frequent ones first. */
const latinLanguages = languages.filter(({ things, script }) => things === 'words' && !script)

/** A drawing, and the words of the prompt, normalized, that name it. */
export interface Subject {
  icon: string
  phrase: string
}

/**
 * The drawings for the words of a prompt, things before notions such as a sale; none where it names nothing that can be
 * drawn.
 */
export async function findSubjects(prompt: string): Promise<Subject[]> {
  const likely = languagesOf(prompt)
  const [own] = likely
  const text = normalize(prompt)
  const found = own.things ? namedIn(text, own, await loadSubjects(own)) : []
  // 'Tulpen' alone does not tell its language, and 'sneakers' is used in many.
  for (const language of latinLanguages) {
    if (found.length > 0) break
    if (language === own) continue
    const index = await loadSubjects(language)
    // Nothing that may be short by chance, because the prompt is probably not in this language; and nothing but whole
    // words where it certainly is not.
    const look = (words: string) =>
      likely.includes(language) ? iconFor(words, language, index, 5) : exactIcon(words, index, 5)
    found.push(...wordsIn(text, look))
  }
  if (/\d\s?[%٪]/.test(prompt)) found.push({ icon: 'label', phrase: '%' })
  const things = found.filter(({ icon }) => !notions.has(icon))
  const byIcon = new Map<string, Subject>()
  for (const subject of [...things, ...found])
    if (!byIcon.has(subject.icon)) byIcon.set(subject.icon, subject)
  return [...byIcon.values()].slice(0, maxSubjects)
}

function namedIn(text: string, language: Language, index: SubjectIndex): Subject[] {
  return language.things === 'words'
    ? wordsIn(text, (words) => iconFor(words, language, index, 3))
    : longestFirst(Array.from(text), 10, (characters) =>
        subjectOf(characters.join(''), index.exact.get(characters.join(''))),
      )
}

/** Looks up stretches of three, two and one words. */
function wordsIn(text: string, look: (words: string) => string | undefined): Subject[] {
  return longestFirst(wordsOf(text).slice(0, maxWords), 3, (stretch) =>
    subjectOf(stretch.join(' '), look(stretch.join(' '))),
  )
}

function subjectOf(phrase: string, icon: string | undefined): Subject | undefined {
  return ifDefined(icon, (found) => ({ icon: found, phrase }))
}

/** The words of a normalized prompt. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}'’-]+/gu) ?? []
}

function exactIcon(word: string, { exact }: SubjectIndex, minLength: number): string | undefined {
  return minLength <= 3 || word.length >= 4 ? exact.get(word) : undefined
}

/** @param minLength of the known stem of a word; from 5 on, short whole words do not count either */
function iconFor(
  word: string,
  language: Language,
  index: SubjectIndex,
  minLength: number,
): string | undefined {
  const exact = exactIcon(word, index, minLength)
  if (exact !== undefined) return exact
  const known = language.code === 'en' ? index.exact : index.stems
  const inflected = firstKnown(stemsOf(word, language), known, minLength)
  if (inflected !== undefined || word.includes(' ') || !language.compounds) return inflected
  return compoundFor(word, language, index, Math.max(minLength, 4))
}

/** 'Winterjacken' is a kind of 'Jacke', 'Blumenladen' has to do with 'Blumen'. */
function compoundFor(
  word: string,
  language: Language,
  { stems }: SubjectIndex,
  minLength: number,
): string | undefined {
  if (word.length > maxCompoundLength) return undefined
  const parts: string[] = []
  // 'vertrouwen' is no kind of 'trouwen'.
  for (let at = 4; at <= word.length - minLength; at++) parts.push(word.slice(at))
  for (let end = word.length - 3; end >= minLength; end--) parts.push(word.slice(0, end))
  return firstKnown(
    parts.flatMap((part) => stemsOf(part, language)),
    stems,
    minLength,
  )
}

function firstKnown(
  stems: readonly string[],
  known: ReadonlyMap<string, string>,
  minLength: number,
): string | undefined {
  const stem = stems.find((each) => each.length >= minLength && known.has(each))
  return ifDefined(stem, (each) => known.get(each))
}
