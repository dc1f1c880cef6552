import { clean, contentLimits, type PopupTexts } from '../../answers.ts'
import type { Language } from '../language.ts'

// 'Create a popup for our bakery' is said to the machine; the person's own words for visitors are 'our bakery'.
const requests: readonly RegExp[] = [
  /^(?=.{0,40}\bpop-?up)[^.!?]{0,40}?\bpop-?up\S*(?: (?:window|fenster|banner))?\s*(?::|(?:for|about|saying|that says|with the text|für|über|mit dem text|pour|sur|para|sobre|con|per|su|voor|over|met|dla|o|pro|för|om|til)(?![\p{L}]))\s*[:"“]?\s*/iu,
  /^.{0,30}(?:попап|поп-ап|всплывающее окно)\p{L}*\s+(?:для|о|об|про)\s+/iu,
  /^请?(?:为|给|帮)(?=.+弹)|(?:写|做|设计|创建|生成|制作)一?个?弹(?:窗|出窗口)。?$/gu,
  /(?:の|用の|のための)ポップアップ(?:を.*)?$/u,
  /(?:을|를)? ?위한 팝업.*$/u,
]

/** A draft for a prompt that no finished text fits: its own first words, unchanged, and the rest below. */
export function ownWords(prompt: string, language: Language): PopupTexts {
  const said = clean(prompt)
  const subject = requests.reduce((text, request) => text.replace(request, ''), said).trim()
  const text = capitalize(subject || said)
  const [title, rest] = splitTitle(text)
  return {
    title: title.replace(/(?<=[^.])\.$/, ''),
    description: shortenDescription(capitalize(rest)),
    ctaText: language.learnMore,
  }
}

/** Cuts after the first sentence, else at a pause, else between words; never inside a word or a character. */
function splitTitle(text: string): [string, string] {
  const maxLength = contentLimits.title
  const sentence = endsOf(text, sentenceEnd, maxLength).find((end) => end > 5)
  if (sentence !== undefined && sentence < text.length) return cutAt(text, sentence)
  if (text.length <= maxLength) return [text, '']
  const pause = endsOf(text, pauseMark, maxLength).at(-1)
  if (pause !== undefined && pause > maxLength / 4) return cutAt(text, pause)
  const [head, rest] = cutAt(text, wordEnd(text, maxLength - 1))
  return [`${head}…`, `…${rest}`]
}

/** The whole sentences that fit, else the words that do. */
function shortenDescription(text: string): string {
  const maxLength = contentLimits.description
  if (text.length <= maxLength) return text
  const sentence = endsOf(text, sentenceEnd, maxLength).at(-1)
  if (sentence !== undefined) return text.slice(0, sentence).trim()
  return `${cutAt(text, wordEnd(text, maxLength - 1))[0]}…`
}

const sentenceEnd = /[.!?]+(?=\s|$)|[。！？]/gu
const pauseMark = /[,;:](?=\s)|[、，；：]| [-–—](?= )/gu

/** Where the marks within the first `maxLength` characters end. */
function endsOf(text: string, mark: RegExp, maxLength: number): number[] {
  return [...text.slice(0, maxLength + 1).matchAll(mark)]
    .map(({ index, 0: found }) => index + found.length)
    .filter((end) => end <= maxLength)
}

function cutAt(text: string, end: number): [string, string] {
  const head = text.slice(0, end).replace(/[\s,;:、，；：–—-]+$/u, '')
  return [head, text.slice(end).trim()]
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
