import sharp from 'sharp'
import { channelsOf, toHex } from '../../contrast.ts'
import { colorIn } from '../design/color-words.ts'
import { normalize } from '../normalize.ts'
import { wordsOf } from './find-subjects.ts'

/** Colors of a drawing that are nearer to its main color are shades of it. */
const shadeDistance = 130
/** A main color that is nearer to the wanted one stays: 'a red car' is red already. */
const sameDistance = 90

/** The color that a prompt gives a thing: 'a blue bicycle', 'zapatos rojos'. */
export function colorOf(phrase: string, prompt: string): string | undefined {
  const [words, thing] = [wordsOf(normalize(prompt)), wordsOf(phrase)]
  const start = words.findIndex((_, at) => thing.every((word, next) => words[at + next] === word))
  if (start < 0) return undefined
  const end = start + thing.length
  const beside = [
    words.slice(Math.max(0, start - 2), start),
    words.slice(Math.max(0, start - 1), start),
    words.slice(end, end + 2),
    words.slice(end, end + 1),
    // 'black cat' is a separate drawing; 'snow' is no color here.
    ...(thing.length > 1 ? thing.map((word) => [word]) : []),
  ]
  return beside.map((stretch) => colorIn(stretch)).find((color) => color?.startsWith('#'))
}

/** The inside of a 32 by 32 SVG with its main color, and the shades of that, in another color. */
export async function repaint(body: string, color: string): Promise<string> {
  const main = await mainColor(body)
  if (main === undefined || distance(main, color) < sameDistance) return body
  const [from, to] = [channelsOf(main), channelsOf(color)]
  return body.replace(/(fill|stroke)="(#[0-9a-f]{6})"/gi, (kept, use: string, fill: string) => {
    if (distance(fill, main) > shadeDistance) return kept
    const shifted = channelsOf(fill).map((value, at) => value + (to[at] ?? 0) - (from[at] ?? 0))
    return `${use}="${toHex(shifted.map((value) => Math.min(255, Math.max(0, value))))}"`
  })
}

/** The color of the largest area; a vivid one, if there is any of some size. */
async function mainColor(body: string): Promise<string | undefined> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256" viewBox="0 0 32 32">${body}</svg>`
  const { data } = await sharp(Buffer.from(svg))
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const areas = new Map<string, number>()
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] !== 255) continue
    const pixel = toHex([...data.subarray(at, at + 3)])
    areas.set(pixel, (areas.get(pixel) ?? 0) + (isVivid(pixel) ? 3 : 1))
  }
  return [...areas].toSorted(([, a], [, b]) => b - a)[0]?.[0]
}

function isVivid(color: string): boolean {
  const channels = channelsOf(color)
  return Math.max(...channels) - Math.min(...channels) > 80
}

function distance(one: string, other: string): number {
  const [a, b] = [channelsOf(one), channelsOf(other)]
  return Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)))
}
