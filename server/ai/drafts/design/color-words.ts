import colorNames from 'color-name'
import { z } from 'zod'
import { normalHex } from '#domain/colors.ts'
import { mixColors, toHex } from '../../contrast.ts'
import { hexColor, listed, readBlocks, single, singleNumber, spaced } from '../data-file.ts'
import { normalize } from '../normalize.ts'
import colorsFile from './colors.txt?raw'

const names = listed.transform((list) => list.map(normalize))

const blocks = readBlocks(
  colorsFile,
  z.union([
    z.strictObject({ endings: spaced }),
    z.strictObject({ nothing: names }),
    z.strictObject({ color: single.pipe(hexColor), words: names, tails: names.optional() }),
    z.strictObject({
      shade: single.pipe(hexColor),
      share: singleNumber,
      before: names,
      after: names.optional(),
    }),
  ]),
)

const endings = blocks.flatMap((block) => ('endings' in block ? block.endings : []))
// 'tan' is Spanish for 'so', and snow is mostly a thing.
const { tan: _, snow: __, ...cssNames } = colorNames
const known = new Map<string, string>(
  Object.entries(cssNames).map(([name, rgb]) => [name, toHex(rgb)]),
)
/** Colors by the stems of their names. */
const stems = new Map<string, string>()
const tails = new Map<string, string>()
const nothing = new Set<string>()
/** How a word beside a color changes it: toward which color, and how far. */
type Shade = readonly [toward: string, share: number]
const before = new Map<string, Shade>()
const after = new Map<string, Shade>()

for (const block of blocks) {
  if ('nothing' in block) for (const name of block.nothing) nothing.add(name)
  if ('color' in block) {
    for (const name of block.words) {
      known.set(name, block.color)
      for (const stem of cutEndings(name)) stems.set(stem, block.color)
    }
    for (const tail of block.tails ?? []) tails.set(tail, block.color)
  }
  if ('shade' in block) {
    const shade: Shade = [block.shade, block.share]
    for (const word of block.before) before.set(word, shade)
    for (const word of block.after ?? []) after.set(word, shade)
  }
}

/**
 * The color that up to three words name, also by a shade or a hex value; 'none' for words that only sound like one.
 *
 * @param words normalized
 */
export function colorIn(words: readonly string[]): string | undefined {
  const text = words.join(' ')
  if (nothing.has(text)) return 'none'
  const [first = '', ...rest] = words
  if (first.startsWith('#'))
    return rest.length > 0 ? undefined : (normalHex(first.slice(0, 7)) ?? undefined)
  return colorNamed(text) ?? known.get(words.join('')) ?? shadedColor(words)
}

function shadedColor(words: readonly string[]): string | undefined {
  const [first = '', last = ''] = [words[0], words.at(-1)]
  const [lead, tail] = [before.get(first), after.get(last)]
  if (words.length === 1) return joinedColor(first)
  const [shade, rest] = lead ? [lead, words.slice(1)] : [tail, words.slice(0, -1)]
  const color = shade && colorIn(rest)
  return color?.startsWith('#') && shade ? mixColors(color, ...shade) : undefined
}

/** 'hellblau', 'donkergroen', 'moosgrün'. */
function joinedColor(word: string): string | undefined {
  for (let at = 3; at <= word.length - 3; at++) {
    const shade = before.get(word.slice(0, at))
    const color = shade && colorNamed(word.slice(at))
    if (color) return mixColors(color, ...shade)
  }
  for (const stem of [word, ...cutEndings(word)]) {
    for (const [tail, color] of tails)
      if (stem.length > tail.length + 2 && stem.endsWith(tail)) return color
  }
  return undefined
}

function colorNamed(text: string): string | undefined {
  const exact = known.get(text)
  if (exact !== undefined || text.includes(' ')) return exact
  const cut = cutEndings(text)
  return cut.map((stem) => known.get(stem) ?? stems.get(stem)).find(Boolean)
}

/** Stems of 'blaues', 'bleue', 'amarillas', 'zielonego'; at least four letters remain. */
function cutEndings(word: string): string[] {
  const cut = endings.filter((ending) => word.endsWith(ending))
  return cut.map((ending) => word.slice(0, -ending.length)).filter((stem) => stem.length > 3)
}
