import type { ImagePalette } from '../../ai-provider.ts'
import type { Random } from '../design/look.ts'
import { hueOf, oklch } from '../design/oklch.ts'
import arch from './backdrops/arch.svg?raw'
import burst from './backdrops/burst.svg?raw'
import confetti from './backdrops/confetti.svg?raw'
import discs from './backdrops/discs.svg?raw'
import hills from './backdrops/hills.svg?raw'
import podium from './backdrops/podium.svg?raw'
import tiles2 from './backdrops/tiles-2.svg?raw'
import tiles from './backdrops/tiles.svg?raw'
import waves from './backdrops/waves.svg?raw'

/** The colors of one picture, from the background to the darkest shadow. */
type Inks = Record<'ground' | 'tint' | 'deep' | 'main' | 'paper' | 'shadow', string>

/** A background of 1200 by 800 pixels, and where subjects are placed on it: on a floor, or floating around the middle. */
export interface Backdrop {
  svg: string
  floorY?: number
}

const stages: readonly Backdrop[] = [
  { svg: arch, floorY: 660 },
  { svg: podium, floorY: 642 },
  { svg: burst },
  { svg: hills, floorY: 690 },
  { svg: confetti },
]
const abstract: readonly Backdrop[] = [waves, tiles, tiles2, discs].map((svg) => ({ svg }))

/**
 * A background for subjects, or an abstract one that needs none, in the colors of the popup. The file and its side are
 * chosen by chance. A file's own style sheet holds example colors, so that it can be viewed and edited.
 */
export function chooseBackdrop(
  hasSubjects: boolean,
  palette: ImagePalette,
  random: Random,
): Backdrop {
  const choices = hasSubjects ? stages : abstract
  const { svg, ...stage } = choices[Math.floor(random() * choices.length)] ?? { svg: discs }
  const sheet = Object.entries(inksOf(palette)).map(
    ([ink, color]) =>
      `.${ink}{fill:${color}}.${ink}-line{stroke:${color}}.${ink}-stop{stop-color:${color}}`,
  )
  const mirror = random() < 0.5 ? '' : 'transform="translate(1200 0) scale(-1 1)"'
  const colored = svg.replace(/<style>.*?<\/style>/s, `<style>${sheet.join('')}</style>`)
  return { ...stage, svg: colored.replace('id="scene"', mirror) }
}

/** Tints of the popup's colors. A white popup gets a tint of its accent, so that the picture has an edge. */
function inksOf({ background, accent }: ImagePalette): Inks {
  const ground = hueOf(background)
  const lead = hueOf(accent)
  const hue = lead.chroma > 0.03 ? lead.hue : ground.hue
  const chroma = Math.max(lead.chroma > 0.03 ? 0.055 : 0, Math.min(ground.chroma, 0.1))
  if (ground.lightness < 0.45) {
    return {
      ground: oklch(0.3, chroma, hue),
      tint: oklch(0.38, chroma * 1.2, hue),
      deep: oklch(0.47, chroma * 1.5, hue),
      main: oklch(0.72, Math.max(lead.chroma, 0.02), hue),
      paper: oklch(0.93, 0.02, hue),
      shadow: oklch(0.14, 0.02, hue),
    }
  }
  const own = ground.chroma > 0.05 ? ground.hue : hue
  return {
    ground: oklch(0.945, chroma * 0.6, own),
    tint: oklch(0.895, chroma, own),
    deep: oklch(0.83, chroma * 1.35, own),
    main: oklch(0.7, Math.max(0.12, lead.chroma * 0.9) * (lead.chroma > 0.03 ? 1 : 0), hue),
    paper: oklch(0.985, 0.008, own),
    shadow: oklch(0.4, chroma, own),
  }
}
