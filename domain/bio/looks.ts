import type { ApiRows } from '#domain/database.generated.ts'
import { presetOf, type Theme } from './themes.ts'

/** The id of a look, as it is stored. */
export type LookId = ApiRows['bio_pages']['look']

/**
 * The shape of a bio page: its type, its buttons and its ground, in any colors. `public-pages/bio/looks.ts` turns each part
 * into CSS and brings its font.
 */
export interface BioLook {
  readonly id: LookId
  readonly name: string
  readonly type:
    | 'sans'
    | 'transitional'
    | 'rounded'
    | 'mono'
    | 'industrial'
    | 'humanist'
    | 'slab'
    | 'didone'
    | 'geometric'
  readonly buttons: 'pill' | 'card' | 'square' | 'soft' | 'offset' | 'lifted'
  readonly ground: 'plain' | 'glow' | 'fade' | 'dots' | 'grid' | 'lines' | 'stripes' | 'band'
  /** How much of the primary color is in the strongest part of the ground, in percent. */
  readonly tint: number
  /** The colors that it is offered with; the plain look keeps those of the page. */
  readonly colors?: Theme
}

/** The first look: the page as the specification describes it. */
export const plainLook: BioLook = {
  id: 'plain',
  name: 'Plain',
  type: 'sans',
  buttons: 'pill',
  ground: 'plain',
  tint: 0,
}

/**
 * Every look, in the order of the editor. The database's CHECK lists the same ids. Each passes WCAG AA in its own colors
 * and in those of every theme (a test measures them).
 */
export const looks: readonly BioLook[] = [
  plainLook,
  {
    id: 'editorial',
    name: 'Editorial',
    type: 'transitional',
    buttons: 'square',
    ground: 'plain',
    tint: 0,
    colors: { primary: '12 64% 32%', background: '40 38% 96%', text: '24 22% 11%' },
  },
  {
    id: 'bubble',
    name: 'Bubble',
    type: 'rounded',
    buttons: 'lifted',
    ground: 'glow',
    tint: 24,
    colors: { primary: '328 78% 42%', background: '325 80% 97%', text: '318 45% 16%' },
  },
  {
    id: 'terminal',
    name: 'Terminal',
    type: 'mono',
    buttons: 'square',
    ground: 'grid',
    tint: 14,
    colors: { primary: '142 66% 58%', background: '150 18% 7%', text: '138 28% 90%' },
  },
  {
    id: 'poster',
    name: 'Poster',
    type: 'industrial',
    buttons: 'offset',
    ground: 'dots',
    tint: 14,
    colors: { primary: '354 80% 40%', background: '48 96% 88%', text: '0 0% 8%' },
  },
  {
    id: 'studio',
    name: 'Studio',
    type: 'humanist',
    buttons: 'card',
    ground: 'band',
    tint: 18,
    colors: { primary: '192 72% 25%', background: '190 26% 96%', text: '196 45% 12%' },
  },
  {
    id: 'notebook',
    name: 'Notebook',
    type: 'slab',
    buttons: 'soft',
    ground: 'lines',
    tint: 15,
    colors: { primary: '222 62% 38%', background: '48 62% 96%', text: '222 42% 15%' },
  },
  {
    id: 'gallery',
    name: 'Gallery',
    type: 'didone',
    buttons: 'square',
    ground: 'stripes',
    tint: 6,
    colors: { primary: '38 34% 82%', background: '30 6% 8%', text: '36 22% 94%' },
  },
  {
    id: 'sunrise',
    name: 'Sunrise',
    type: 'geometric',
    buttons: 'pill',
    ground: 'fade',
    tint: 24,
    colors: { primary: '345 74% 40%', background: '26 100% 96%', text: '340 42% 16%' },
  },
]

/** The look of a stored id; an unknown one is plain. */
export function lookOf(id: string): BioLook {
  return looks.find((look) => look.id === id) ?? plainLook
}

/** The colors of a page that takes a look: the look's, unless the owner has chosen their own. */
export function colorsWith(look: BioLook, theme: Theme): Theme {
  const { colors } = look
  const isOwn = presetOf(theme) === undefined && !looks.some((one) => isSame(one.colors, theme))
  return colors === undefined || isOwn ? theme : colors
}

function isSame(one: Theme | undefined, other: Theme): boolean {
  return (
    one?.primary === other.primary && one.background === other.background && one.text === other.text
  )
}
