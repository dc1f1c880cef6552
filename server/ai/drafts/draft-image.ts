import sharp from 'sharp'
import type { ImagePalette } from '../ai-provider.ts'
import { draftDesign } from './draft-design.ts'
import type { Random } from './design-moods.ts'
import { findSubjects } from './find-subjects.ts'
import { loadIcons } from './illustration-index.ts'
import { backdropInks, drawBackdrop } from './image-backdrops.ts'
import { arrangeSubjects } from './image-subjects.ts'

/** Of the picture in pixels. Popups crop it to 2:1 at the most, so subjects stay away from the upper and lower edge. */
export const imageSize = { width: 1200, height: 800 } as const

/**
 * Draws what a prompt names, up to three things from an open set of illustrations, in the colors of the popup; an
 * abstract backdrop when it names nothing that is in the set.
 */
export async function draftImage(
  prompt: string,
  palette: ImagePalette | undefined,
  random: Random,
): Promise<Uint8Array> {
  return await sharp(Buffer.from(await composeImage(prompt, palette, random)))
    .png()
    .toBuffer()
}

async function composeImage(
  prompt: string,
  palette: ImagePalette | undefined,
  random: Random,
): Promise<string> {
  const { width, height } = imageSize
  const inks = backdropInks(palette ?? paletteOf(prompt, random))
  const subjects = await findSubjects(prompt)
  const icons = subjects.length > 0 ? await loadIcons() : new Map<string, string>()
  const drawings = subjects.flatMap((name) => icons.get(name) ?? [])
  const { svg, stage } = drawBackdrop(drawings, inks, random)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\
${svg}${arrangeSubjects(drawings, stage, inks)}</svg>`
}

function paletteOf(prompt: string, random: Random): ImagePalette {
  const { backgroundColor, buttonColor } = draftDesign(prompt, random)
  return { background: backgroundColor, accent: buttonColor }
}
