import sharp from 'sharp'
import type { ImagePalette } from '../../ai-provider.ts'
import { isGray } from '../../contrast.ts'
import { readColors } from '../design/design-colors.ts'
import { draftDesign } from '../design/draft-design.ts'
import { type Backdrop, chooseBackdrop, type Random } from './backdrops.ts'
import { findSubjects } from './find-subjects.ts'
import { loadIcons } from './illustration-index.ts'
import { colorOf, repaint } from './repaint.ts'
import places from './places.json' with { type: 'json' }

/** The inside of a 32 by 32 SVG, and the box in it that the drawing fills. */
interface Drawing {
  body: string
  box: { x: number; y: number; width: number; height: number }
}

/**
 * Draws up to three things that a prompt names, from an open set of illustrations, in the colors that it names or else
 * those of the popup; an abstract backdrop when it names nothing that is in the set.
 */
export async function draftImage(
  prompt: string,
  palette: ImagePalette | undefined,
  random: Random,
): Promise<Uint8Array> {
  const subjects = await findSubjects(prompt)
  const icons = subjects.length > 0 ? await loadIcons() : new Map<string, string>()
  const painted = subjects.map(({ phrase }) => colorOf(phrase, prompt))
  const drawings = await Promise.all(
    subjects.map(async ({ icon }, at) => {
      const [body, color] = [icons.get(icon) ?? '', painted[at]]
      return await measure(color ? await repaint(body, color) : body)
    }),
  )
  const colors = paletteFor(prompt, painted.find(Boolean), palette, random)
  const backdrop = chooseBackdrop(drawings.length > 0, colors, random)
  const svg = backdrop.svg.replace('</svg>', () => `${arrange(drawings, backdrop)}</svg>`)
  return await sharp(Buffer.from(svg)).png().toBuffer()
}

/** Finds the edges of a drawing, so that its size is exact and its lower edge touches the floor. */
async function measure(body: string): Promise<Drawing> {
  const scale = 4
  const size = 32 * scale
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32">${body}</svg>`
  const { info } = await sharp(Buffer.from(svg)).trim().raw().toBuffer({ resolveWithObject: true })
  const box = {
    x: -(info.trimOffsetLeft ?? 0) / scale,
    y: -(info.trimOffsetTop ?? 0) / scale,
    width: info.width / scale,
    height: info.height / scale,
  }
  return { body, box }
}

/** For prompts that say nothing about colors. */
const accents = ['#1d84f5', '#019f68', '#e14754', '#7e6ef2', '#d75a07', '#06999a'] as const

/** The colors behind the things. Only those of prompts without any hint are chosen by chance. */
function paletteFor(
  prompt: string,
  painted: string | undefined,
  popup: ImagePalette | undefined,
  random: Random,
): ImagePalette {
  const { background, text, button, other } = readColors(prompt)
  const isNamed = painted === undefined && Boolean(background ?? text ?? button ?? other[0])
  if (popup && !isNamed) return popup
  // A black cat is not drawn on black.
  if (painted) return { background: '#ffffff', accent: isGray(painted) ? '#8a8f98' : painted }
  const { backgroundColor, buttonColor, understood } = draftDesign(prompt)
  if (understood?.includes('backgroundColor'))
    return { background: backgroundColor, accent: buttonColor }
  const accent = accents[Math.floor(random() * accents.length)] ?? accents[0]
  return { background: '#ffffff', accent }
}

/**
 * Places up to three drawings with their shadows; the main one is in front. A place (places.json) is the middle and the
 * longer side of a drawing, how far it is lifted above the floor or above the middle of the picture, all in pixels, and
 * how far it is turned, in degrees. Popups crop pictures to at most 2:1, so places keep away from the upper and lower edge.
 */
function arrange(drawings: readonly Drawing[], { floorY }: Backdrop): string {
  const layouts = floorY === undefined ? places.floating : places.onFloor
  const layout = layouts[drawings.length - 1] ?? []
  const placed = drawings.flatMap(({ body, box }, at) => {
    const place = layout[at]
    if (!place) return []
    const { x, size, lift, turn } = place
    const scale = size / Math.max(box.width, box.height)
    const [width, height] = [box.width * scale, box.height * scale]
    const bottom = floorY === undefined ? 400 - lift + height / 2 : floorY - lift
    const [left, top] = [x - width / 2, bottom - height]
    const shade =
      floorY === undefined
        ? `<ellipse class="shadow" cx="${x}" cy="${bottom + 22}" rx="${width * 0.36}" ry="${width * 0.045}" opacity=".13"/>`
        : `<ellipse cx="${x}" cy="${bottom - 4}" rx="${width * 0.6}" ry="${width * 0.085}" fill="url(#shadow)"/>`
    return `${shade}<g transform="rotate(${turn} ${x} ${top + height / 2}) translate(${left - box.x * scale} ${top - box.y * scale}) scale(${scale})">${body}</g>`
  })
  return placed.toReversed().join('')
}
