import sharp from 'sharp'
import type { ImagePalette } from '../../ai-provider.ts'
import { draftDesign } from '../design/draft-design.ts'
import type { Random } from '../design/design-moods.ts'
import { findSubjects } from './find-subjects.ts'
import { loadIcons } from './illustration-index.ts'
import { backdropInks, drawBackdrop } from './image-backdrops.ts'
import { arrangeSubjects, type Drawing } from './image-subjects.ts'

/** In pixels. Popups crop pictures to at most 2:1, so subjects keep away from the upper and lower edge. */
const imageSize = { width: 1200, height: 800 } as const

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
  const bodies = subjects.flatMap((name) => icons.get(name) ?? [])
  const drawings = await Promise.all(bodies.map(measure))
  const { svg, stage } = drawBackdrop(drawings.length > 0, inks, random)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">\
${svg}${arrangeSubjects(drawings, stage, inks)}</svg>`
}

/** Finds the edges of a drawing, so that its size is exact and its lower edge touches the floor. */
async function measure(body: string): Promise<Drawing> {
  const scale = 4
  const size = 32 * scale
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 32 32">${body}</svg>`
  const { data, info } = await sharp(Buffer.from(svg)).raw().toBuffer({ resolveWithObject: true })
  let [left, top, right, bottom] = [size, size, 0, 0]
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      const alpha = data[(y * size + x) * info.channels + info.channels - 1] ?? 0
      if (alpha < 128) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y + 1)
    }
  }
  const box = {
    x: left / scale,
    y: top / scale,
    width: (right - left) / scale,
    height: (bottom - top) / scale,
  }
  return { body, box }
}

function paletteOf(prompt: string, random: Random): ImagePalette {
  const { backgroundColor, buttonColor } = draftDesign(prompt, random)
  return { background: backgroundColor, accent: buttonColor }
}
