import type { PopupDesign } from '../../answers.ts'

/** A number from 0 up to but not including 1. */
export type Random = () => number

/** The look for what a prompt does not spell out. */
export interface Mood {
  /** In degrees of OKLCH: of the button, and of the accent. */
  hues: readonly [number, number]
  /** 0 is gray, 1 is vivid. */
  strength: number
  /** White paper, a tint of the first hue, or a dark background. */
  ground: 'light' | 'tint' | 'dark'
  fontStyle: PopupDesign['fontStyle']
  borderRadius: number
  shadowStyle: PopupDesign['shadowStyle']
}

interface MoodRule extends Partial<Mood> {
  words: RegExp
}

// The first rule that matches decides; later ones fill in what it leaves open.
const rules: readonly MoodRule[] = [
  {
    words: /\b(black friday|cyber)\b/i,
    hues: [30, 85],
    ground: 'dark',
    fontStyle: 'modern',
    shadowStyle: 'bold',
  },
  { words: /\b(gaming|neon|cyberpunk)\b/i, hues: [305, 190], ground: 'dark', fontStyle: 'modern' },
  {
    words: /\b(dark|night|midnight|noir|cinema|gaming|neon)\b/i,
    ground: 'dark',
    shadowStyle: 'bold',
  },
  {
    words: /\b(minimal\w*|clean|simple|airy|scandinavian)\b/i,
    ground: 'light',
    strength: 0.6,
    shadowStyle: 'soft',
    borderRadius: 8,
  },
  {
    words: /\b(luxur\w*|premium|elegant|jewel\w*|exclusive|champagne|royal|noble)\b/i,
    hues: [80, 30],
    ground: 'dark',
    fontStyle: 'elegant',
    strength: 0.6,
    borderRadius: 4,
  },
  {
    words: /\b(pastel|soft|baby|gentle|calm|spa|wellness|zen)\b/i,
    ground: 'tint',
    strength: 0.55,
    shadowStyle: 'soft',
    borderRadius: 20,
  },
  { words: /\b(christmas|xmas)\b/i, hues: [25, 150], ground: 'tint' },
  { words: /\b(halloween|pumpkin)\b/i, hues: [55, 300], ground: 'dark' },
  {
    words:
      /\b(wedding|bridal|romantic|valentine\w*|love|beauty|cosmetics?|flowers?|floral|feminine)\b/i,
    hues: [5, 50],
    ground: 'tint',
    fontStyle: 'elegant',
  },
  { words: /\b(winter|ice|icy|snow\w*|ski)\b/i, hues: [235, 200], ground: 'light' },
  {
    words: /\b(summer|beach|tropical|sun(ny|shine)?|swimwear|travel|vacation)\b/i,
    hues: [55, 215],
    ground: 'tint',
    fontStyle: 'casual',
  },
  {
    words: /\b(ocean|sea|marine|maritime|sail\w*|water|aqua|surf\w*)\b/i,
    hues: [230, 185],
    ground: 'tint',
  },
  {
    words: /\b(eco\w*|nature|natural|forest|plants?|trees?|garden\w*|organic|vegan|fresh)\b/i,
    hues: [148, 95],
    ground: 'tint',
    fontStyle: 'casual',
  },
  {
    words:
      /\b(cafe|café|coffee|bak\w+|bread|candles?|leather|wood\w*|autumn|vintage|rustic|earthy|warm|cozy)\b/i,
    hues: [50, 35],
    ground: 'tint',
    strength: 0.7,
    fontStyle: 'casual',
  },
  {
    words: /\b(food|pizza|burger|restaurant|kitchen|recipes?|italian|spicy)\b/i,
    hues: [32, 140],
    ground: 'light',
    fontStyle: 'casual',
  },
  {
    words: /\b(kids?|child\w*|toys?|playful|fun|party|birthday|carnival|colou?rful|happy)\b/i,
    hues: [350, 195],
    ground: 'tint',
    fontStyle: 'casual',
    borderRadius: 24,
  },
  {
    words:
      /\b(bank\w*|financ\w*|invest\w*|insurance|legal|law\w*|corporate|business|consult\w+|professional|trust\w*|serious)\b/i,
    hues: [255, 165],
    ground: 'light',
    fontStyle: 'professional',
    borderRadius: 6,
    shadowStyle: 'soft',
  },
  {
    words: /\b(health|medical|clinic|dent\w+|doctor|pharma\w*|yoga|fitness|gym)\b/i,
    hues: [180, 250],
    ground: 'light',
    fontStyle: 'modern',
  },
  {
    words: /\b(tech\w*|software|app|ai|saas|cloud|data|code|digital|startup|futuristic)\b/i,
    hues: [265, 195],
    ground: 'light',
    fontStyle: 'modern',
  },
  {
    words: /\b(music|concert|festival|club|bold|vibrant|energetic|loud|retro)\b/i,
    hues: [310, 70],
    strength: 1.1,
    fontStyle: 'modern',
  },
  {
    words: /\b(books?|reading|history|museum|classic|art|gallery|photograph\w*)\b/i,
    hues: [40, 240],
    ground: 'light',
    fontStyle: 'elegant',
    strength: 0.6,
  },
]

/** Hues that look good with their accent, for prompts that say nothing about color. */
const hueChoices: readonly (readonly [number, number])[] = [
  [255, 60],
  [160, 85],
  [20, 200],
  [285, 170],
  [45, 240],
  [195, 30],
]

/** The mood of a prompt. Only hues of prompts without any hint are chosen by chance. */
export function readMood(prompt: string, random: Random): Mood {
  const matching = rules.filter(({ words }) => words.test(prompt))
  const given = <Key extends keyof Mood>(key: Key) =>
    matching.find((rule) => rule[key] !== undefined)?.[key]
  const chosen = hueChoices[Math.floor(random() * hueChoices.length)] ?? [255, 60]
  return {
    hues: given('hues') ?? chosen,
    strength: given('strength') ?? 0.9,
    ground: given('ground') ?? 'tint',
    fontStyle: given('fontStyle') ?? 'modern',
    borderRadius: given('borderRadius') ?? 16,
    shadowStyle: given('shadowStyle') ?? 'medium',
  }
}
