import colorNames from 'color-name'
import { normalHex } from '#domain/colors.ts'

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

/** What people say besides the names of CSS. */
const commonNames: Readonly<Record<string, string>> = {
  'off white': '#faf7f2',
  cream: '#fff6e0',
  sand: '#e8d9b9',
  peach: '#ffcba4',
  apricot: '#fbceb1',
  blush: '#f6d5d5',
  rose: '#e8707f',
  mint: '#b5ead7',
  sage: '#9caf88',
  'forest green': '#1f5c3a',
  emerald: '#0b8457',
  mustard: '#e1ad01',
  amber: '#ffb300',
  honey: '#eba937',
  tangerine: '#f28500',
  terracotta: '#c8643c',
  rust: '#b7410e',
  copper: '#b87333',
  bronze: '#a9713a',
  champagne: '#f3e2c0',
  burgundy: '#7a1f33',
  wine: '#6f1d35',
  ruby: '#b3123f',
  lilac: '#c8a2d8',
  mauve: '#b784a7',
  sapphire: '#1f4fa3',
  cobalt: '#0047ab',
  'navy blue': '#000080',
  'sky blue': '#87ceeb',
  sky: '#87ceeb',
  'baby blue': '#b6dcf5',
  'royal blue': '#4169e1',
  'hot pink': '#ff69b4',
  petrol: '#0b5563',
  charcoal: '#333a40',
  anthracite: '#2f353b',
  graphite: '#3b3f45',
  coffee: '#5a3d2b',
  caramel: '#b5713a',
  golden: '#d4a017',
  gold: '#d4a017',
  silver: '#c0c4c8',
  // The CSS values of these are harsher than what people mean.
  green: '#1e8e3e',
  blue: '#1f5fd6',
  red: '#d62828',
  yellow: '#ffd60a',
  purple: '#7b2cbf',
  orange: '#f77f00',
  pink: '#f78fb3',
  lime: '#a7d129',
  teal: '#0f8b8d',
  brown: '#7a4b2a',
}

const modifiers: Readonly<Record<string, (hex: string) => string>> = {
  dark: (hex) => mix(hex, '#000000', 0.55),
  deep: (hex) => mix(hex, '#000000', 0.4),
  light: (hex) => mix(hex, '#ffffff', 0.65),
  pale: (hex) => mix(hex, '#ffffff', 0.75),
  pastel: (hex) => mix(hex, '#ffffff', 0.65),
  soft: (hex) => mix(hex, '#ffffff', 0.5),
  bright: (hex) => hex,
}

const known = new Map<string, string>([
  ...Object.entries(colorNames).map(([name, channels]): [string, string] => [
    name,
    `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`,
  ]),
  ...Object.entries(commonNames),
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
  const shade = modifiers[one]
  const shaded = shade && named(two, 2)
  return (
    named(one + two + three, 3) ??
    named(`${one} ${two}`, 2) ??
    (two === '' ? undefined : named(one + two, 2)) ??
    (shade && shaded ? { ...shaded, color: shade(shaded.color) } : named(one, 1))
  )
}

const partWords: Readonly<Record<string, ColoredPart>> = {
  background: 'background',
  backdrop: 'background',
  bg: 'background',
  text: 'text',
  font: 'text',
  letters: 'text',
  lettering: 'text',
  writing: 'text',
  headline: 'text',
  button: 'button',
  buttons: 'button',
  cta: 'button',
}

function partAt(tokens: string[], at: number): { part: ColoredPart; length: number } | undefined {
  const part = partWords[tokens[at]?.replace("'s", '') ?? '']
  if (part === undefined) return undefined
  const isLabel = part === 'button' && /^(text|label|font)$/.test(tokens[at + 1] ?? '')
  return isLabel ? { part: 'buttonText', length: 2 } : { part, length: 1 }
}

function mix(color: string, other: string, share: number): string {
  const channel = (hex: string, at: number) => Number.parseInt(hex.slice(at, at + 2), 16)
  const mixed = [1, 3, 5].map((at) =>
    Math.round(channel(color, at) + (channel(other, at) - channel(color, at)) * share),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
