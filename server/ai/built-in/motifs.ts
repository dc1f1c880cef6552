import type { Intent } from './brief.ts'

/** The colours of a drawing, from light to dark. */
export interface Inks {
  ground: string
  /** A little darker or lighter than the ground. */
  tint: string
  main: string
  second: string
  /** What stands out on main and second. */
  paper: string
  ink: string
}

/** A thing in a box of 400 by 400 around 0,0, drawn in flat shapes. */
type Motif = (inks: Inks) => string

const disc = (x: number, y: number, r: number, fill: string) =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`
const box = (x: number, y: number, w: number, h: number, r: number, fill: string) =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" fill="${fill}"/>`
const shape = (d: string, fill: string) => `<path d="${d}" fill="${fill}"/>`
const line = (d: string, stroke: string, width: number) =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

export const motifs = {
  tag: ({ main, second, paper }) =>
    `<g transform="rotate(-18)">${shape('M-170-90H60a30 30 0 0 1 22 10l98 96a26 26 0 0 1 0 36l-98 96a30 30 0 0 1-22 10h-230a30 30 0 0 1-30-30V-60a30 30 0 0 1 30-30z', main)}${disc(118, 34, 22, paper)}${line('M-118 96 4-32', paper, 18)}${disc(-112, -20, 30, second)}${disc(0, 92, 30, second)}</g>`,
  envelope: ({ main, second, paper, ink }) =>
    `${shape('M-180-30 0-170 180-30V140a24 24 0 0 1-24 24h-312a24 24 0 0 1-24-24z', ink)}${box(-130, -130, 260, 230, 16, paper)}${line('M-84-74H84M-84-22H84M-84 30H10', second, 16)}${shape('M-180-30-14 92a24 24 0 0 0 28 0L180-30V140a24 24 0 0 1-24 24h-312a24 24 0 0 1-24-24z', main)}`,
  rocket: ({ main, second, paper, ink }) =>
    `<g transform="rotate(32)">${shape('M-46 96-104 168-92 40z M46 96l58 72-12-128z', ink)}${shape('M-34 120Q0 240 34 120z', second)}${shape('M0-200C92-130 96 20 60 124H-60C-96 20-92-130 0-200z', main)}${disc(0, -36, 44, paper)}${disc(0, -36, 26, ink)}${line('M-40 100H40', paper, 12)}</g>`,
  ticket: ({ main, second, paper }) =>
    `<g transform="rotate(-12)">${shape('M-190-100H190V-40a40 40 0 0 0 0 80v60H-190V40a40 40 0 0 0 0-80z', main)}${line('M70-84V84', paper, 8).replace('stroke-linecap', 'stroke-dasharray="2 26" stroke-linecap')}${shape('M-60-66 -40-24 6-18-28 14-20 60-60 38-100 60-92 14-126-18-80-24z', second)}${line('M112-40V40', paper, 14)}</g>`,
  book: ({ main, second, paper, ink }) =>
    `${shape('M0-120C-60-160-140-160-200-140V130c60-16 140-14 200 26 60-40 140-42 200-26V-140C140-160 60-160 0-120z', ink)}${shape('M0-104C-56-138-124-140-180-124V108c56-12 124-8 180 24z', paper)}${shape('M0-104C56-138 124-140 180-124V108C124 96 56 100 0 132z', main)}${line('M-140-66q50-10 100 14M-140-14q50-10 100 14M-140 38q50-10 100 14', second, 12)}${shape('M70-140h60v120l-30-26-30 26z', second)}`,
  bubbles: ({ main, second, paper }) =>
    `${shape('M-190-150H60a30 30 0 0 1 30 30V10a30 30 0 0 1-30 30H-90l-60 62V40h-40a30 30 0 0 1-30-30v-130a30 30 0 0 1 30-30z', main)}${disc(-130, -54, 20, paper)}${disc(-66, -54, 20, paper)}${disc(-2, -54, 20, paper)}${shape('M120-40h40a30 30 0 0 1 30 30V100a30 30 0 0 1-30 30h-20v52l-58-52H-10a30 30 0 0 1-30-30V70H70a50 50 0 0 0 50-50z', second)}`,
  gift: ({ main, second, paper, ink }) =>
    `${box(-150, -30, 300, 200, 18, main)}${box(-176, -94, 352, 76, 16, ink)}${box(-32, -94, 64, 264, 0, second)}${line('M0-98C-40-190-130-190-116-132-108-102-50-96 0-98zM0-98C40-190 130-190 116-132 108-102 50-96 0-98z', second, 24)}${disc(0, -98, 22, paper)}`,
  phone: ({ main, second, paper, ink }) =>
    `<g transform="rotate(8)">${box(-110, -200, 220, 400, 36, ink)}${box(-90, -172, 180, 330, 18, paper)}${box(-70, -150, 140, 110, 14, main)}${disc(-34, -96, 24, second)}${shape('M-66-56 0-110 66-56v2a14 14 0 0 1-10 14H-56z', paper)}${line('M-64-8H64M-64 32H20', second, 14)}${box(-66, 74, 132, 52, 26, main)}</g>`,
  calendar: ({ main, second, paper, ink }) =>
    `${box(-170, -140, 340, 310, 30, paper)}${shape('M-140-140H140a30 30 0 0 1 30 30V-60H-170v-50a30 30 0 0 1 30-30z', main)}${line('M-90-170v60M90-170v60', ink, 22)}${[-100, -34, 34, 100].flatMap((x) => [-6, 58, 122].map((y) => disc(x, y, x === 34 && y === 58 ? 34 : 17, x === 34 && y === 58 ? second : main))).join('')}`,
  heart: ({ main, second, paper }) =>
    `${shape('M0 160C-240 10-190-150-90-150-40-150-10-120 0-90 10-120 40-150 90-150 190-150 240 10 0 160z', main)}${line('M-140-60c4-30 22-46 48-50', paper, 20)}${shape('M120 180C40 130 56 76 90 76c18 0 26 10 30 20 4-10 12-20 30-20 34 0 50 54-30 104z', second)}`,
  cup: ({ main, second, paper, ink }) =>
    `${line('M-70-130q-24-34 0-64M0-130q-24-34 0-64M70-130q-24-34 0-64', second, 18)}${line('M130-50h24a54 54 0 0 1 0 108h-34', ink, 26)}${shape('M-150-90H140V20c0 70-50 120-116 120h-58c-66 0-116-50-116-120z', main)}${box(-150, -90, 290, 40, 8, paper)}${box(-180, 150, 350, 28, 14, ink)}`,
  leaf: ({ main, second, paper, ink }) =>
    `${shape('M-20 150C-190 120-210-40-150-150-30-120 40-20-20 150z', main)}${shape('M0 150C-20 20 60-90 190-110 220 30 130 130 0 150z', second)}${line('M-120-90Q-60 20-14 150M150-70Q50 20-8 150V196', paper, 10)}${line('M-10 150V200', ink, 16)}`,
  box: ({ main, second, paper, ink }) =>
    `${shape('M0-170 180-90 0-10-180-90z', paper)}${shape('M-180-90 0-10V180L-180 96z', main)}${shape('M180-90 0-10V180L180 96z', ink)}${shape('M-110-121 70-41V20L30 4V-24L-150-103z', second)}`,
  camera: ({ main, second, paper, ink }) =>
    `${box(-70, -150, 140, 90, 20, ink)}${box(-190, -110, 380, 260, 36, main)}${disc(0, 20, 100, paper)}${disc(0, 20, 72, ink)}${disc(0, 20, 40, second)}${disc(20, 0, 12, paper)}${box(110, -80, 46, 30, 10, second)}`,
  sun: ({ main, second, paper }) =>
    `${Array.from({ length: 12 }, (_, i) => `<g transform="rotate(${i * 30})">${shape('M-22-128H22L0-196z', second)}</g>`).join('')}${disc(0, 0, 112, main)}${line('M-58-28a66 66 0 0 1 44-42', paper, 16)}`,
  bottle: ({ main, second, paper, ink }) =>
    `${box(-30, -200, 60, 60, 10, ink)}${shape('M-40-150H40c0 50 70 60 70 140V160a34 34 0 0 1-34 34H-76a34 34 0 0 1-34-34V-10c0-80 70-90 70-140z', main)}${box(-110, 10, 220, 110, 0, paper)}${disc(0, 65, 34, second)}`,
  bars: ({ main, second, paper, ink }) =>
    `${box(-190, -160, 380, 320, 28, paper)}${box(-140, 10, 60, 110, 12, second)}${box(-50, -50, 60, 170, 12, main)}${box(40, -100, 60, 220, 12, ink)}${line('M-140-50-40-110 40-90 150-136', second, 14)}`,
  bolt: ({ main, second, paper }) =>
    `${disc(0, 0, 180, main)}${shape('M30-150-100 30H-10L-36 150 104-40H10z', paper)}${disc(120, 120, 40, second)}`,
} as const satisfies Record<string, Motif>

export type MotifName = keyof typeof motifs

const byWord: [RegExp, MotifName][] = [
  [/\b(coffee|cafe|café|tea|espresso|chocolate|bakery|breakfast)\b/i, 'cup'],
  [
    /\b(plants?|garden\w*|eco\w*|green|nature|organic|vegan|leaf|leaves|forest|trees?|tomatoes|herbs?)\b/i,
    'leaf',
  ],
  [/\b(app|phone|mobile|software|saas|website|online store|digital)\b/i, 'phone'],
  [/\b(photo\w*|camera|pictures?|portrait)\b/i, 'camera'],
  [/\b(summer|sun\w*|beach|holiday|vacation|travel|swim\w*|solar)\b/i, 'sun'],
  [/\b(love|valentine\w*|wedding|charity|donat\w+|heart|health|care)\b/i, 'heart'],
  [/\b(beauty|cosmetic\w*|perfume|skin\w*|wine|oil|soap|shampoo|candles?)\b/i, 'bottle'],
  [/\b(finance|bank\w*|invest\w*|business|analytics|growth|marketing|data)\b/i, 'bars'],
  [/\b(energy|power|electric|fitness|gym|sport\w*|running|shoes?|bikes?|fast)\b/i, 'bolt'],
  [/\b(books?|ebook|e-book|reading|guide|course|learn\w*|school|recipes?)\b/i, 'book'],
  [/\b(gifts?|present|birthday|christmas|giveaway|prize)\b/i, 'gift'],
  [/\b(shipping|delivery|parcel|package|furniture)\b/i, 'box'],
  [/\b(e-?mail|letter|newsletter|inbox|post)\b/i, 'envelope'],
  [/\b(music|concert|cinema|theat\w+|festival|tickets?)\b/i, 'ticket'],
]

const byIntent: Record<Intent, readonly [MotifName, ...MotifName[]]> = {
  discount: ['tag', 'gift'],
  shipping: ['box', 'gift'],
  newsletter: ['envelope', 'bubbles'],
  launch: ['rocket', 'bolt'],
  event: ['calendar', 'ticket'],
  download: ['book', 'phone'],
  survey: ['bubbles', 'bars'],
  contest: ['gift', 'ticket'],
  trial: ['bolt', 'phone', 'rocket'],
  booking: ['calendar'],
  donation: ['heart', 'leaf'],
  general: ['sun', 'heart', 'bubbles', 'bolt', 'gift'],
}

/** What to draw: things the prompt names, and what its kind of popup suggests. */
export function motifsFor(prompt: string, intent: Intent): readonly [MotifName, ...MotifName[]] {
  const named = byWord.filter(([words]) => words.test(prompt)).map(([, name]) => name)
  const first = named[0]
  return first ? [first, first, ...named] : byIntent[intent]
}
