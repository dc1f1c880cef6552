import { z } from 'zod'
import { designShape, type PopupDesign } from '../../answers.ts'
import { mixColors } from '../../contrast.ts'
import { hexColor, phrases, readBlocks, single, singleNumber, spaced } from '../data-file.ts'
import looksFile from './looks.txt?raw'

/** A number from 0 up to but not including 1. */
export type Random = () => number

/** How a design looks where its prompt names no colors. looks.txt explains the fields. */
export interface Look {
  /** Of the button and of the accent. */
  colors: readonly [string, string]
  ground: 'light' | 'tint' | 'dark'
  shape: Pick<PopupDesign, 'fontStyle' | 'borderRadius' | 'shadowStyle' | 'size'>
}

const { fontStyle, borderRadius, shadowStyle, size } = designShape.shape

const rules = readBlocks(
  looksFile,
  z.strictObject({
    words: phrases,
    except: phrases.optional(),
    colors: spaced.pipe(z.tuple([hexColor, hexColor])).optional(),
    strength: singleNumber.optional(),
    ground: single.pipe(z.enum(['light', 'tint', 'dark'])).optional(),
    font: single.pipe(fontStyle).optional(),
    corners: singleNumber.pipe(borderRadius).optional(),
    shadow: single.pipe(shadowStyle).optional(),
    size: single.pipe(size).optional(),
  }),
)

/** For prompts that say nothing about color. */
const colorChoices = [
  ['#1d84f5', '#c46d01'],
  ['#019f68', '#a87f09'],
  ['#e14754', '#03999f'],
  ['#7e6ef2', '#109d7b'],
  ['#d75a07', '#0a8fd1'],
  ['#06999a', '#e14b39'],
] as const

/** The look that a prompt asks for. Only colors of prompts without any hint are chosen by chance. */
export function readLook(prompt: string, random: Random): Look {
  const matching = rules.filter(({ words, except }) =>
    words.test(except ? prompt.replace(except, ' ') : prompt),
  )
  const given = <Key extends keyof (typeof rules)[number]>(key: Key) =>
    matching.find((rule) => rule[key] !== undefined)?.[key]
  const chosen = colorChoices[Math.floor(random() * colorChoices.length)] ?? colorChoices[0]
  const [main, accent] = given('colors') ?? chosen
  const faded = 1 - (given('strength') ?? 0.9)
  return {
    colors: [mixColors(main, '#808080', faded), mixColors(accent, '#808080', faded)],
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
