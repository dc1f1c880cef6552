import { clean, contentLimits } from '../../answers.ts'
import type { Language } from '../language.ts'

// 'Create a popup for our bakery' is said to the machine; the person's own words for visitors are 'our bakery'.
const requests: readonly RegExp[] = [
  /^(?=.{0,40}\bpop-?up)[^.!?]{0,40}?\bpop-?up\S*(?: (?:window|fenster|banner))?\s*(?::|(?:for|about|saying|that says|with the text|für|über|mit dem text|pour|sur|para|sobre|con|per|su|voor|over|met|dla|o|pro|för|om|til)(?![\p{L}]))\s*:?\s*/iu,
  /^.{0,30}(?:попап|поп-ап|всплывающее окно)\p{L}*\s+(?:для|о|об|про)\s+/iu,
  /^请?(?:为|给|帮)(?=.+弹)|(?:写|做|设计|创建|生成|制作)一?个?弹(?:窗|出窗口)。?$/gu,
  /(?:の|用の|のための)ポップアップ(?:を.*)?$/u,
  /(?:을|를)? ?위한 팝업.*$/u,
]

/** 'Popup that says "Free today"': the quotation marks are for the machine too. */
const quoted = /^["“„«]\s*([^"“”„«»]+?)\s*["”“»]\.?$/u

/** The words of a prompt that are for visitors. */
export interface OwnWords {
  /** Whole sentences. None where all are said to the machine. */
  sentences: string[]
  /** 'Join our club' rather than 'a newsletter for our club'. */
  speakToVisitors: boolean
  /** 'A sale for a flower shop' describes the wish from outside: it is a text, and no headline. */
  describe: boolean
}

/**
 * Removes instructions to the machine from a prompt.
 *
 * @param isLabeled whether a first word before a colon is the purpose, which a finished text says too: 'Giveaway: win …'
 */
export function readOwnWords(prompt: string, language: Language, isLabeled: boolean): OwnWords {
  const asked = requests
    .reduce((rest, request) => rest.replace(request, ''), clean(prompt))
    .trim()
    .replace(quoted, '$1')
  const text = isLabeled ? asked.replace(/^\p{L}+\s?:\s+/u, '') : asked
  const sentences = sentencesOf(text || clean(prompt)).flatMap((sentence) => {
    const rest = language.orders ? sentence.replace(language.orders, '') : sentence
    return rest === '' || language.asks?.test(rest) ? [] : [rest]
  })
  const [first = ''] = wordsOf(sentences[0] ?? '')
  const describe = language.articles?.has(first) === true
  const lead = describe ? sentences[0]?.slice(first.length).trim() : sentences[0]
  return {
    sentences: [lead ?? '', ...sentences.slice(1)].filter(Boolean).map(capitalize),
    speakToVisitors:
      language.verbs?.has(first) === true ||
      wordsOf(sentences.join(' ')).some((word) => language.you?.has(word)),
    describe:
      describe &&
      splitAtColon(sentences).length === 1 &&
      wordsOf(lead ?? '').some((word) => language.articles?.has(word)),
  }
}

/** Facts that must not get lost, in lower case: numbers, codes, names in quotation marks, days, places. */
export function factsOf(text: string, { days, places }: Language): string[] {
  const marked =
    text.match(/\d[\d.,:]*\d|\d|\b\p{Lu}[\p{Lu}\d]{3,}\b|[“"«„][^“”"«»„]+[”"»“]/gu) ?? []
  const dated = wordsOf(text).filter((word) => days?.has(word))
  const named = places ? [...text.matchAll(places)].map(([, place = '']) => place) : []
  return [...marked, ...dated, ...named].map((fact) =>
    fact.toLowerCase().replace(/^[“"«„]|[”"»“]$/g, ''),
  )
}

/** Splits a single sentence at its colon or dash: 'Summer sale: 30% off'. */
export function splitAtColon(sentences: readonly string[]): readonly string[] {
  const [only = '', ...more] = sentences
  const colon = /(?<=\S+\s.*?)(?::|\s[–—-])\s+(?=.{8})/u.exec(only)
  if (more.length > 0 || !colon) return sentences
  const end = colon.index + colon[0].length
  return [
    only
      .slice(0, end)
      .trim()
      .replace(/\s[–—-]$|\s?:$/u, ':'),
    capitalize(only.slice(end)),
  ]
}

/**
 * The parts that fit below a headline, in their order, those with the most facts first; whole, as long as one of them
 * fits.
 */
export function textOf(sentences: readonly string[], language: Language): string {
  const parts = [...new Set(sentences)]
  const maxLength = contentLimits.description
  const chosen = new Set<string>()
  const length = () => [...chosen].join(' ').length
  const weight = (part: string) => factsOf(part, language).length
  for (const part of parts.toSorted((a, b) => weight(b) - weight(a))) {
    chosen.add(part)
    if (length() > maxLength) chosen.delete(part)
  }
  if (chosen.size > 0) return parts.filter((part) => chosen.has(part)).join(' ')
  const [long = ''] = parts
  const clauses = long.split(/(?<=[,;:、，；：])\s*|\s(?=[–—-]\s)/u)
  if (clauses.length > 1) return textOf(clauses, language).replace(/[,;:、，；：]$/u, '')
  return long && `${long.slice(0, wordEnd(long, maxLength - 1)).trim()}…`
}

const abbreviation =
  '(?:nr|no|st|str|tel|ca|dr|mr|mrs|ms|sat|sun|mon|tue|wed|thu|fri|jan|feb|aug|sept|oct|nov|dec|\\p{L}|\\d+)'
const sentenceEnd = new RegExp(
  `(?<=[!?…]|(?<!(?<![\\p{L}\\d])${abbreviation})\\.)\\s+(?=["“„«¿¡(]?[\\p{Lu}\\p{N}])|(?<=[。！？])`,
  'iu',
)

function sentencesOf(text: string): string[] {
  return text.split(sentenceEnd).filter(Boolean)
}

function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .match(/[\p{L}’']+/gu)
      ?.map((word) => word.replaceAll('’', "'")) ?? []
  )
}

function wordEnd(text: string, maxLength: number): number {
  // One endless word is cut between two characters as people see them.
  return lastEnd(words, text, maxLength) || lastEnd(graphemes, text, maxLength)
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function lastEnd(segmenter: Intl.Segmenter, text: string, maxLength: number): number {
  let end = 0
  for (const { index, segment } of segmenter.segment(text.slice(0, maxLength + 100))) {
    if (index + segment.length > maxLength) break
    end = index + segment.length
  }
  return end
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
