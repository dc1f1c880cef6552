import { z } from 'zod'
import { listed, readBlocks, single } from '../data-file.ts'
import { longestFirst } from '../longest-first.ts'
import { normalize } from '../normalize.ts'
import { colorIn } from './color-words.ts'
import partsFile from './parts.txt?raw'

/** The colors that a prompt names, by the part of the popup that they are for. */
export interface NamedColors {
  background?: string
  text?: string
  button?: string
  buttonText?: string
  /** Colors that are for no part in particular, in their order. */
  other: string[]
  /** The prompt, normalized, without the words that name colors. */
  rest: string
}

type ColoredPart = Exclude<keyof NamedColors, 'other' | 'rest'>
type Link = 'on' | 'with' | 'and'

const words = listed.transform((list) => list.map(normalize))
const blocks = readBlocks(
  partsFile,
  z.union([
    z.strictObject({
      part: single.pipe(z.enum(['background', 'text', 'button', 'buttonText', 'whole'])),
      words,
    }),
    z.strictObject({ link: single.pipe(z.enum(['on', 'with', 'and'])), words }),
  ]),
)
const parts = new Map<string, ColoredPart | 'whole'>()
// 'text in white' and 'texte en blanc' are one phrase, so 'in' and 'en' are not among the links.
const links = new Map<string, Link>([',', ';', '.', '\n', '/'].map((mark) => [mark, 'and']))
for (const block of blocks)
  for (const word of block.words) {
    if ('part' in block) parts.set(word, block.part)
    else links.set(word, block.link)
  }

interface Pair {
  color?: string
  part?: ColoredPart
}

/** A stretch of the prompt without a comma or conjunction, and the word that leads to it. */
interface Phrase {
  link: Link
  pairs: Pair[]
}

/**
 * Reads the colors of a prompt literally: 'yellow background with black text', 'Knopf orange', 'blanc sur #112233'.
 * Within a phrase a color belongs to the part beside it.
 */
export function readColors(prompt: string): NamedColors {
  const { phrases, rest } = phrasesOf(prompt)
  const named: NamedColors = { other: [], rest }
  let last: ColoredPart | undefined
  for (const { link, pairs } of phrases) {
    const lead = pairs[0]
    if (link === 'on' && lead?.color !== undefined) {
      lead.part ??= 'background'
      const above = named.other.pop()
      if (above !== undefined) named[lead.part === 'button' ? 'buttonText' : 'text'] ??= above
    }
    // 'an orange button with white text': the text is the button's.
    if (link === 'with' && last === 'button' && lead?.part === 'text') lead.part = 'buttonText'
    for (const { color, part } of pairs) {
      if (color === undefined) continue
      if (part === undefined) named.other.push(color)
      else named[part] ??= color
    }
    last = pairs.at(-1)?.part
  }
  return named
}

/** The prompt without a last clause that only names colors: '20% off candles, black and gold'. */
export function withoutColorClause(prompt: string): string {
  const [clause = ''] = /[,;.]\s[^,;.]+\.?\s*$/u.exec(prompt) ?? []
  const mentions = mentionsIn(clause)
  const isColors =
    mentions.some((mention) => 'color' in mention) &&
    mentions.every((mention) => !('words' in mention) || 'link' in mention || mention.part)
  const others = prompt.slice(0, prompt.length - clause.length)
  // 'Tulips in red, white and yellow' are of those colors.
  const isListed = mentionsIn(others).some((mention) => 'color' in mention)
  return isColors && !isListed ? others : prompt
}

/** Neighbors of different kinds are a pair: 'blue button', 'button blue', 'background white button red'. */
function phrasesOf(prompt: string): { phrases: Phrase[]; rest: string } {
  let phrase: Phrase = { link: 'and', pairs: [] }
  const phrases = [phrase]
  const rest: string[] = []
  for (const mention of mentionsIn(prompt)) {
    const open = phrase.pairs.at(-1)
    if (!('color' in mention)) rest.push(mention.words)
    if ('link' in mention) phrases.push((phrase = { link: mention.link, pairs: [] }))
    else if ('color' in mention && mention.part === undefined && open && open.color === undefined)
      open.color = mention.color
    else if ('color' in mention) phrase.pairs.push(mention)
    else if (mention.part === undefined) continue
    else if (open && open.part === undefined) open.part = mention.part
    else phrase.pairs.push({ part: mention.part })
  }
  return { phrases, rest: rest.join(' ') }
}

type Mention =
  | { color: string; part?: 'background' }
  | { link: Link; words: string }
  | { part?: ColoredPart; words: string }

function mentionsIn(prompt: string): Mention[] {
  const text = normalize(prompt).replace(/pop-up/g, 'popup')
  const tokens = text.match(/#[0-9a-f]{3,8}\b|[\p{L}\p{M}]+|\d+|[,;.\n/]/gu) ?? []
  return longestFirst(tokens, 3, mentionIn)
}

function mentionIn(stretch: readonly string[]): Mention | undefined {
  const words = stretch.join(' ')
  const color = colorIn(stretch)
  if (color !== undefined) return color === 'none' ? { words } : { color }
  const whole = wholeIn(stretch)
  if (whole) return { color: whole, part: 'background' }
  const [part, link] = [parts.get(words), links.get(words)]
  if (part !== undefined && part !== 'whole') return { part, words }
  if (link !== undefined) return { link, words }
  return stretch.length === 1 ? { words } : undefined
}

/** 'dark blue popup', 'popup azul'. */
function wholeIn(stretch: readonly string[]): string | undefined {
  const isWhole = (word: string | undefined) => parts.get(word ?? '') === 'whole'
  if (isWhole(stretch.at(-1))) return colorIn(stretch.slice(0, -1))
  return isWhole(stretch[0]) ? colorIn(stretch.slice(1)) : undefined
}
