import colorNames from 'color-name'
import { z } from 'zod'
import { normalHex } from '#domain/colors.ts'
import { mixColors, toHex } from '../../contrast.ts'
import { hexColor, readBlocks, single } from '../data-file.ts'
import { longestFirst } from '../longest-first.ts'
import colorsFile from './colors.txt?raw'

/** The colors that a prompt names, by the part of the popup that they are for. */
export interface NamedColors {
  background?: string
  text?: string
  button?: string
  buttonText?: string
  /** Colors that are for no part in particular, in their order. */
  other: string[]
}

type ColoredPart = Exclude<keyof NamedColors, 'other'>

/** How a word before a color changes it: toward which color, and how far. */
const shades = new Map<string, readonly [toward: string, share: number]>([
  ['dark', ['#000000', 0.55]],
  ['deep', ['#000000', 0.4]],
  ['light', ['#ffffff', 0.65]],
  ['pale', ['#ffffff', 0.75]],
  ['pastel', ['#ffffff', 0.65]],
  ['soft', ['#ffffff', 0.5]],
  ['bright', ['#ffffff', 0]],
])

const known = new Map<string, string>([
  ...Object.entries(colorNames).map(([name, rgb]) => [name, toHex(rgb)] as const),
  ...readBlocks(colorsFile, z.record(z.string(), single.pipe(hexColor))).flatMap(Object.entries),
])

const partWords: readonly [RegExp, ColoredPart][] = [
  [/^(background|backdrop|bg)('s)?$/, 'background'],
  [/^(text|font|letters|lettering|writing|headline)('s)?$/, 'text'],
  [/^(buttons?|cta)('s)?$/, 'button'],
  [/^(buttons?|cta)('s)? (text|label|font)$/, 'buttonText'],
]

/** 'text in white' and 'buttons in red' are one phrase, so 'in' is not among these. */
const links = /^(on|with|and|but|plus|over|[,;.\n/])$/

interface Pair {
  color?: string
  part?: ColoredPart
}

/** A stretch of the prompt without a comma or conjunction, and the word that leads to it. */
interface Phrase {
  link: string
  pairs: Pair[]
}

/**
 * Reads the colors of a prompt literally: 'yellow background with black text', 'button orange', 'white on #112233'.
 * Within a phrase a color belongs to the part beside it.
 */
export function readColors(prompt: string): NamedColors {
  const named: NamedColors = { other: [] }
  let last: ColoredPart | undefined
  for (const { link, pairs } of phrasesOf(prompt)) {
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

/** Neighbors of different kinds are a pair: 'blue button', 'button blue', 'background white button red'. */
function phrasesOf(prompt: string): Phrase[] {
  const tokens = prompt.toLowerCase().match(/#[0-9a-f]{3,8}\b|[a-z]+(?:'s)?|[,;.\n/]/g) ?? []
  let phrase: Phrase = { link: '', pairs: [] }
  const phrases = [phrase]
  for (const mention of longestFirst(tokens, 3, mentionIn)) {
    const open = phrase.pairs.at(-1)
    if ('link' in mention) phrases.push((phrase = { link: mention.link, pairs: [] }))
    else if (open && 'color' in mention && open.color === undefined) open.color = mention.color
    else if (open && 'part' in mention && open.part === undefined) open.part = mention.part
    else phrase.pairs.push({ ...mention })
  }
  return phrases
}

function mentionIn(words: readonly string[]) {
  const color = colorIn(words)
  if (color !== undefined) return { color }
  const text = words.join(' ')
  const part = partWords.find(([pattern]) => pattern.test(text))?.[1]
  if (part !== undefined) return { part }
  return links.test(text) ? { link: text } : undefined
}

/** CSS writes its names in one word: 'lightseagreen'. */
function colorIn(words: readonly string[]): string | undefined {
  const [first = '', ...rest] = words
  if (first.startsWith('#'))
    return rest.length > 0 ? undefined : (normalHex(first.slice(0, 7)) ?? undefined)
  const named = known.get(words.join(' ')) ?? known.get(words.join(''))
  const shade = shades.get(first)
  if (named !== undefined || !shade) return named
  const shaded = colorIn(rest)
  return shaded && mixColors(shaded, ...shade)
}
