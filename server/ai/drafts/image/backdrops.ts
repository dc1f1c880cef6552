import { contrastWithWhite } from '#domain/colors.ts'
import type { ImagePalette } from '../../ai-provider.ts'
import { mixColors } from '../../contrast.ts'
import { ifDefined } from '../../../primitives/if-defined.ts'

/** A number from 0 up to but not including 1. */
export type Random = () => number

/** The colors of one picture, from the background to the darkest shadow. */
type Inks = Record<'ground' | 'tint' | 'deep' | 'main' | 'paper' | 'shadow', string>

/** A background of 1200 by 800 pixels, and where subjects are placed on it: on a floor, or floating around the middle. */
export interface Backdrop {
  svg: string
  floorY: number | undefined
}

/** Those with a floor tell its height: `data-floor`. */
const stages = import.meta.glob<string>('./backdrops/stages/*.svg', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const abstract = import.meta.glob<string>('./backdrops/abstract/*.svg', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/**
 * A background for subjects, or an abstract one that needs none, in the colors of the popup. The file and its side are
 * chosen by chance. A file's own style sheet holds example colors, so that it can be viewed and edited.
 */
export function chooseBackdrop(
  hasSubjects: boolean,
  palette: ImagePalette,
  random: Random,
): Backdrop {
  const choices = Object.values(hasSubjects ? stages : abstract)
  const svg = choices[Math.floor(random() * choices.length)] ?? ''
  const floor = /data-floor="(\d+)"/.exec(svg)?.[1]
  const sheet = Object.entries(inksOf(palette)).map(
    ([ink, color]) =>
      `.${ink}{fill:${color}}.${ink}-line{stroke:${color}}.${ink}-stop{stop-color:${color}}`,
  )
  const mirror = random() < 0.5 ? '' : 'transform="translate(1200 0) scale(-1 1)"'
  const colored = svg.replace(/<style>.*?<\/style>/s, `<style>${sheet.join('')}</style>`)
  return {
    svg: colored.replace('id="scene"', mirror),
    floorY: ifDefined(floor, Number),
  }
}

/** Mixtures of the popup's colors. A white popup gets a tint of its accent, so that the picture has an edge. */
function inksOf({ background, accent }: ImagePalette): Inks {
  const isDark = contrastWithWhite(background) > 7
  const base = isDark
    ? mixColors('#2b2b2f', background, 0.5)
    : mixColors('#ffffff', background, 0.35)
  return {
    ground: mixColors(base, accent, 0.08),
    tint: mixColors(base, accent, 0.18),
    deep: mixColors(base, accent, 0.32),
    main: mixColors(accent, '#ffffff', 0.15),
    paper: mixColors('#ffffff', accent, 0.05),
    shadow: isDark ? '#0d0d0f' : mixColors('#2b2b2f', accent, 0.4),
  }
}
