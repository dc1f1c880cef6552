import type { PopupDesign } from '../answers.ts'
import type { Random } from './copy.ts'

/** What a prompt says about looks. */
export interface Mood {
  /** In degrees of OKLCH; the first leads, the second accents. */
  hues: [number, number]
  /** How colourful, 0 to 1. */
  strength: number
  /** Light paper, a tint of the hue, or a dark ground. */
  ground: 'light' | 'tint' | 'dark'
  fontStyle: PopupDesign['fontStyle']
}

interface Theme extends Partial<Omit<Mood, 'hues'>> {
  words: RegExp
  hues?: [number, number]
}

// The first theme that matches decides; each later one fills in what is still open.
const themes: Theme[] = [
  { words: /\b(black friday|cyber)\b/i, hues: [30, 85], ground: 'dark', fontStyle: 'modern' },
  { words: /\b(dark|night|midnight|black|noir|cinema|gaming|neon)\b/i, ground: 'dark' },
  {
    words: /\b(minimal\w*|clean|white|simple|airy|light|scandinavian)\b/i,
    ground: 'light',
    strength: 0.6,
  },
  {
    words: /\b(luxur\w*|premium|elegant|jewel\w*|gold(en)?|wine|champagne|royal)\b/i,
    hues: [80, 30],
    ground: 'dark',
    fontStyle: 'elegant',
    strength: 0.6,
  },
  { words: /\b(pastel|soft|baby|gentle|calm|spa|wellness)\b/i, ground: 'tint', strength: 0.55 },
  { words: /\b(christmas|xmas)\b/i, hues: [25, 150], ground: 'tint' },
  { words: /\b(halloween|pumpkin)\b/i, hues: [55, 300], ground: 'dark' },
  {
    words:
      /\b(wedding|bridal|romantic|valentine\w*|love|beauty|cosmetics?|flowers?|floral|rose)\b/i,
    hues: [5, 50],
    ground: 'tint',
    fontStyle: 'elegant',
  },
  { words: /\b(winter|ice|snow|ski)\b/i, hues: [235, 200], ground: 'light' },
  {
    words: /\b(summer|beach|tropical|sun(ny|shine)?|swimwear|travel|holidays?|vacation)\b/i,
    hues: [60, 215],
    ground: 'tint',
    fontStyle: 'casual',
  },
  { words: /\b(ocean|sea|marine|sail\w*|water|aqua|surf\w*)\b/i, hues: [220, 185], ground: 'tint' },
  {
    words:
      /\b(eco\w*|green\w*|nature|natural|forest|plants?|trees?|garden\w*|organic|vegan|tomatoes|hik\w+)\b/i,
    hues: [148, 95],
    ground: 'tint',
    fontStyle: 'casual',
  },
  {
    words:
      /\b(coffee|cafe|café|chocolate|bak\w+|bread|sourdough|candles?|leather|wood\w*|autumn|vintage|rustic|earthy)\b/i,
    hues: [55, 35],
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
    words: /\b(kids?|child\w*|toys?|playful|fun|party|birthday|carnival|colou?rful)\b/i,
    hues: [330, 195],
    ground: 'tint',
    strength: 1.1,
    fontStyle: 'casual',
  },
  {
    words:
      /\b(bank\w*|finance|invest\w*|insurance|legal|law\w*|corporate|business|consult\w+|professional|trust\w*)\b/i,
    hues: [255, 165],
    ground: 'light',
    fontStyle: 'professional',
  },
  {
    words: /\b(health|medical|clinic|dent\w+|doctor|pharma\w*|yoga|fitness|gym)\b/i,
    hues: [180, 250],
    ground: 'light',
    fontStyle: 'modern',
  },
  {
    words:
      /\b(tech\w*|software|app|ai|saas|cloud|data|laptops?|code|digital|startup|futuristic)\b/i,
    hues: [270, 195],
    ground: 'light',
    fontStyle: 'modern',
  },
  {
    words: /\b(music|concert|festival|club|bold|vibrant|energetic)\b/i,
    hues: [310, 70],
    strength: 1.15,
    fontStyle: 'modern',
  },
  {
    words: /\b(books?|reading|history|museum|classic|art|gallery|photograph\w*)\b/i,
    hues: [40, 240],
    ground: 'light',
    fontStyle: 'elegant',
    strength: 0.6,
  },
  { words: /\b(sale|discount|deal|offer|\d+ ?%)/i, hues: [28, 260] },
  { words: /\b(shoes?|sport\w*|bikes?|running|football)\b/i, hues: [40, 230], fontStyle: 'modern' },
]

const colours: [RegExp, number][] = [
  [/\b(red|crimson|scarlet|ruby)\b/gi, 27],
  [/\b(orange|tangerine|terracotta|coral|peach)\b/gi, 52],
  [/\b(yellow|gold(en)?|mustard|amber|honey)\b/gi, 88],
  [/\b(lime|olive)\b/gi, 120],
  [/\b(green|emerald|sage)\b/gi, 150],
  [/\b(mint|teal|turquoise)\b/gi, 180],
  [/\b(cyan|aqua|sky)\b/gi, 215],
  [/\b(blue|navy|indigo|cobalt)\b/gi, 258],
  [/\b(purple|violet|lavender|lilac)\b/gi, 300],
  [/\b(pink|magenta|fuchsia|rose)\b/gi, 350],
]

/** Reads what a prompt says about looks; what it leaves open is chosen by chance. */
export function readMood(prompt: string, random: Random): Mood {
  const matching = themes.filter(({ words }) => words.test(prompt))
  const first = <Key extends keyof Theme>(key: Key) =>
    matching.find((theme) => theme[key] !== undefined)?.[key]
  const named = colours
    .flatMap(([words, hue]) => [...prompt.matchAll(words)].map(({ index }) => ({ index, hue })))
    .sort((a, b) => a.index - b.index)
    .map(({ hue }) => hue)
  const lead = named[0] ?? first('hues')?.[0] ?? random() * 360
  const turn = [35, 150, 180, -45][Math.floor(random() * 4)] ?? 35
  const accent =
    named.find((hue) => hue !== lead) ?? (named.length > 0 ? undefined : first('hues')?.[1])
  const shift = named.length > 0 ? 10 : 26
  const jitter = (random() - 0.5) * shift
  return {
    hues: [turned(lead + jitter), turned((accent ?? lead + turn) + jitter)],
    strength: (first('strength') ?? 0.9) + (random() - 0.5) * 0.2,
    ground:
      first('ground') ??
      (['light', 'tint', 'tint', 'dark'] as const)[Math.floor(random() * 4)] ??
      'light',
    fontStyle:
      first('fontStyle') ??
      (['modern', 'casual', 'modern', 'professional'] as const)[Math.floor(random() * 4)] ??
      'modern',
  }
}

function turned(hue: number): number {
  return ((hue % 360) + 360) % 360
}
