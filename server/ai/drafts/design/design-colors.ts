import colorNames from 'color-name'
import { z } from 'zod'
import { normalHex } from '#domain/colors.ts'
import { mixColors, toHex } from '../../contrast.ts'
import { readBlocks, single } from '../data-file.ts'
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

const hexLine = single.pipe(z.string().regex(/^#[0-9a-f]{6}$/))
const known = new Map<string, string>([
  ...Object.entries(colorNames).map(([name, rgb]) => [name, toHex(rgb)] as const),
  ...readBlocks(colorsFile, z.record(z.string(), hexLine)).flatMap(Object.entries),
])

/** A stretch of the prompt without a comma or conjunction, and the word that leads to it. */
interface Phrase {
  link: 'on' | 'with' | undefined
  mentions: ({ color: string } | { part: ColoredPart })[]
}

/**
 * Reads the colors of a prompt literally: 'yellow background with black text', 'button orange', 'white on #112233'.
 * Within a phrase a color belongs to the part beside it.
 */
export function readColors(prompt: string): NamedColors {
  const named: NamedColors = { other: [] }
  let last: ColoredPart | undefined
  for (const { link, mentions } of phrasesOf(prompt)) {
    const pairs = pairUp(mentions)
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

interface Pair {
  color?: string
  part?: ColoredPart
}

/** Neighbors of different kinds belong together: 'blue button', 'button blue', 'background white button red'. */
function pairUp(mentions: Phrase['mentions']): Pair[] {
  const pairs: Pair[] = []
  for (const mention of mentions) {
    const open: Pair | undefined = pairs.at(-1)
    if (open && 'color' in mention && open.color === undefined) open.color = mention.color
    else if (open && 'part' in mention && open.part === undefined) open.part = mention.part
    else pairs.push({ ...mention })
  }
  return pairs
}

function phrasesOf(prompt: string): Phrase[] {
  const tokens = prompt.toLowerCase().match(/#[0-9a-f]{3,8}\b|[a-z]+(?:'s)?|[,;.:\n/]/g) ?? []
  const phrases: Phrase[] = [{ link: undefined, mentions: [] }]
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at] ?? ''
    const found = colorAt(tokens, at)
    const part = partAt(tokens, at)
    if (found) phrases.at(-1)?.mentions.push({ color: found.color })
    else if (part) phrases.at(-1)?.mentions.push({ part: part.part })
    else if (/^(on|with|in|and|but|plus|over|[,;.\n/])$/.test(token)) {
      // 'text in white' and 'buttons in red' are one phrase.
      if (token !== 'in') {
        phrases.push({ link: token === 'on' || token === 'with' ? token : undefined, mentions: [] })
      }
    }
    at += found?.length ?? part?.length ?? 1
  }
  return phrases
}

function colorAt(tokens: string[], at: number): { color: string; length: number } | undefined {
  const [one = '', two = '', three = ''] = tokens.slice(at, at + 3)
  const hex = one.startsWith('#') ? normalHex(one.slice(0, 7)) : null
  if (hex) return { color: hex, length: 1 }
  const named = (name: string, length: number) => {
    const color = known.get(name)
    return color === undefined ? undefined : { color, length }
  }
  const shade = shades.get(one)
  const shaded = shade && named(two, 2)
  return (
    named(one + two + three, 3) ??
    named(`${one} ${two}`, 2) ??
    (two === '' ? undefined : named(one + two, 2)) ??
    (shade && shaded ? { ...shaded, color: mixColors(shaded.color, ...shade) } : named(one, 1))
  )
}

const partWords: readonly [RegExp, ColoredPart][] = [
  [/^(background|backdrop|bg)$/, 'background'],
  [/^(text|font|letters|lettering|writing|headline)$/, 'text'],
  [/^(buttons?|cta)$/, 'button'],
]

function partAt(tokens: string[], at: number): { part: ColoredPart; length: number } | undefined {
  const word = tokens[at]?.replace("'s", '') ?? ''
  const part = partWords.find(([words]) => words.test(word))?.[1]
  if (part === undefined) return undefined
  const isLabel = part === 'button' && /^(text|label|font)$/.test(tokens[at + 1] ?? '')
  return isLabel ? { part: 'buttonText', length: 2 } : { part, length: 1 }
}
