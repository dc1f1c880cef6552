import { z } from 'zod'
import { designShape, type PopupDesign } from '../../answers.ts'
import { mixColors } from '../../contrast.ts'
import {
  hexColor,
  listed,
  phrasePattern,
  readBlocks,
  single,
  singleNumber,
  spaced,
} from '../data-file.ts'
import { normalize } from '../normalize.ts'
import { ifDefined } from '../../../primitives/if-defined.ts'
import looksFile from './looks.txt?raw'

/** How a prompt wants a popup to look, besides the colors that it names. looks.txt explains the fields. */
export interface Look {
  /** Button, then accent. */
  colors: readonly [string, string] | undefined
  ground: 'light' | 'tint' | 'dark' | undefined
  shape: {
    [Key in 'fontStyle' | 'borderRadius' | 'shadowStyle' | 'size']: PopupDesign[Key] | undefined
  }
}

const { fontStyle, borderRadius, shadowStyle, size } = designShape.shape

const normalPhrases = listed.transform((list) => phrasePattern(list.map(normalize)))
const lines = z
  .array(z.string())
  .transform((each) => [each.join(', ')])
  .pipe(normalPhrases)

const blocks = readBlocks(
  looksFile,
  z.strictObject({
    words: lines,
    except: normalPhrases.optional(),
    colors: spaced.pipe(z.tuple([hexColor, hexColor])).optional(),
    strength: singleNumber.optional(),
    ground: single.pipe(z.enum(['light', 'tint', 'dark'])).optional(),
    font: single.pipe(fontStyle).optional(),
    corners: singleNumber.pipe(borderRadius).optional(),
    shadow: single.pipe(shadowStyle).optional(),
    size: single.pipe(size).optional(),
    number: single.pipe(z.literal('corners')).optional(),
    negates: single.pipe(z.literal('yes')).optional(),
  }),
)
type Rule = (typeof blocks)[number]

const [negation, numbered] = [
  blocks.find(({ negates }) => negates)?.words,
  blocks.find(({ number }) => number)?.words,
].map((pattern) => pattern?.source ?? '(?!)')
const unwanted = new RegExp(`${negation} \\p{L}+`, 'gu')
const rules = blocks.filter(({ negates, number }) => !negates && !number)

/** The prompt, normalized, without the parts that it excludes: 'not too playful', 'kein Rot'. */
export function wantedIn(prompt: string): string {
  return normalize(prompt).replace(unwanted, ' ')
}

/**
 * The look that a prompt asks for.
 *
 * @param moods the part of the prompt that can express a mood: without exclusions and named colors
 */
export function readLook(prompt: string, moods: string): Look {
  const description = normalize(prompt)
  const matching = rules.filter((rule) => applies(rule, mayDeny(rule) ? description : moods))
  const given = <Key extends keyof Rule>(key: Key) =>
    matching.find((rule) => rule[key] !== undefined)?.[key]
  const colors = given('colors')
  const faded = 1 - (given('strength') ?? 0.9)
  const fade = (color: string) => mixColors(color, '#808080', faded)
  return {
    colors: colors && [fade(colors[0]), fade(colors[1])],
    ground: given('ground'),
    shape: {
      fontStyle: given('font'),
      borderRadius: pixelsIn(description) ?? given('corners'),
      shadowStyle: given('shadow'),
      size: given('size'),
    },
  }
}

/** Corners and shadows are said with a 'no'. */
function mayDeny({ colors, ground, font, size: named }: Rule): boolean {
  return [colors, ground, font, named].every((value) => value === undefined)
}

function applies({ words, except }: Rule, text: string): boolean {
  return words.test(except ? text.replace(except, ' ') : text)
}

/** 'radius 12', '12px Ecken', 'coins de 8 px'. */
function pixelsIn(description: string): number | undefined {
  const beside = new RegExp(
    `${numbered} ?(?:\\p{L}{1,3})?:? ?(\\d{1,3})(?!\\d)|(?<!\\d)(\\d{1,3}) ?(?:px|pixels?)?(?: \\p{L}{2,6})? ?${numbered}`,
    'u',
  ).exec(description)
  const radius = beside?.[1] ?? beside?.[2]
  return ifDefined(radius, (pixels) => Math.min(24, Number(pixels)))
}
