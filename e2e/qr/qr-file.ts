import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { nodeLab, pixelsOf } from '#test/qr/node-lab.ts'

/** The file that a press saves. */
export async function savedFile(
  page: Page,
  press: () => Promise<void>,
): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), press()])
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) }
}

/** The texts that the two decoders find in a picture or SVG. */
export async function textsIn(bytes: Buffer): Promise<(string | undefined)[]> {
  const pixels = await pixelsOf(sharp(bytes).flatten({ background: '#fff' }))
  return Promise.all(Object.values(nodeLab.decoders).map((decode) => decode(pixels)))
}
