import { type BioLook, lookOf } from '#domain/bio/looks.ts'

/**
 * One file per kind of type in web/public/assets/looks: Latin letters in weights 400 to 700, at most 20 kB (decision 0045
 * says how they were made). The name ends in a hash of the content, because browsers keep a file for good.
 */
const files: Record<BioLook['type'], string> = {
  sans: 'geist-34efae11',
  transitional: 'brygada-1918-00cc6ed9',
  rounded: 'nunito-65ae771c',
  mono: 'geist-mono-d765d364',
  industrial: 'oswald-78d988e5',
  humanist: 'mulish-be15b8ac',
  slab: 'aleo-7e7bbb02',
  didone: 'bodoni-moda-e90ef1aa',
  geometric: 'jost-3245316b',
}

export interface LookFont {
  family: string
  path: string
}

/** The font of a look, by the look's id. */
export function lookFont(look: string): LookFont {
  const { type } = lookOf(look)
  return { family: `hp-${type}`, path: `/assets/looks/${files[type]}.woff2` }
}

/** The font of our own words, for pages that show no look. */
export const ownFont: LookFont = { family: 'hp-sans', path: `/assets/looks/${files.sans}.woff2` }

/** The rule of a visitor's page. A font that comes late waits for the next page: nothing moves. */
export function fontRule({ family, path }: LookFont): string {
  return `@font-face{font-family:${family};src:url(${path}) format("woff2");font-weight:400 700;font-display:optional}`
}
