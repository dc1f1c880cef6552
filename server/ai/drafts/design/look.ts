import { z } from 'zod'
import { designShape, type PopupDesign } from '../../answers.ts'
import { phrases, readBlocks, single, singleNumber, spaced } from '../data-file.ts'
import looksFile from './looks.txt?raw'

/** A number from 0 up to but not including 1. */
export type Random = () => number

/** Everything about a design but its colors, and what colors are made of. looks.txt explains the fields. */
export interface Look {
  hues: readonly [number, number]
  strength: number
  ground: 'light' | 'tint' | 'dark'
  shape: Pick<PopupDesign, 'fontStyle' | 'borderRadius' | 'shadowStyle' | 'size'>
}

const { fontStyle, borderRadius, shadowStyle, size } = designShape.shape

const rules = readBlocks(
  looksFile,
  z.strictObject({
    words: phrases,
    except: phrases.optional(),
    hues: spaced
      .transform((degrees) => degrees.map(Number))
      .pipe(z.tuple([z.number(), z.number()]))
      .optional(),
    strength: singleNumber.optional(),
    ground: single.pipe(z.enum(['light', 'tint', 'dark'])).optional(),
    font: single.pipe(fontStyle).optional(),
    corners: singleNumber.pipe(borderRadius).optional(),
    shadow: single.pipe(shadowStyle).optional(),
    size: single.pipe(size).optional(),
  }),
)

/** Hues that look good with their accent, for prompts that say nothing about color. */
const hueChoices: readonly (readonly [number, number])[] = [
  [255, 60],
  [160, 85],
  [20, 200],
  [285, 170],
  [45, 240],
  [195, 30],
]

/** The look that a prompt asks for. Only hues of prompts without any hint are chosen by chance. */
export function readLook(prompt: string, random: Random): Look {
  const matching = rules.filter(({ words, except }) =>
    words.test(except ? prompt.replace(except, ' ') : prompt),
  )
  const given = <Key extends keyof (typeof rules)[number]>(key: Key) =>
    matching.find((rule) => rule[key] !== undefined)?.[key]
  const chosen = hueChoices[Math.floor(random() * hueChoices.length)] ?? [255, 60]
  return {
    hues: given('hues') ?? chosen,
    strength: given('strength') ?? 0.9,
    ground: given('ground') ?? 'tint',
    shape: {
      fontStyle: given('font') ?? 'modern',
      borderRadius: pixelsIn(prompt) ?? given('corners') ?? 16,
      shadowStyle: given('shadow') ?? 'medium',
      size: given('size') ?? 'medium',
    },
  }
}

/** 'radius 12', '12px corners'. */
function pixelsIn(prompt: string): number | undefined {
  const said =
    /\b(?:radius|corners?|rounding)(?: of)?:? ?(\d{1,3})\b|\b(\d{1,3}) ?(?:px|pixels?) (?:border )?(?:radius|corners?|rounding)/i.exec(
      prompt,
    )
  const radius = said?.[1] ?? said?.[2]
  return radius === undefined ? undefined : Math.min(24, Number(radius))
}
