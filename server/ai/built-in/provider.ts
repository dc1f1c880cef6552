import { randomInt } from 'node:crypto'
import sharp from 'sharp'
import type { Answers } from '../answers.ts'
import type { Provider } from '../provider.ts'
import { drawArtwork } from './artwork.ts'
import { writeCopy } from './copy.ts'
import { designPopup } from './palette.ts'

const chance = () => randomInt(2 ** 32) / 2 ** 32

const writers: { [Kind in keyof Answers]: (prompt: string) => Answers[Kind] } = {
  content: (prompt) => writeCopy(prompt, chance),
  design: (prompt) => designPopup(prompt, chance),
}

/** What answers without any configuration: rules and chance, no network. */
export const builtInProvider: Provider = {
  async write(kind, prompt) {
    return writers[kind](prompt)
  },
  draw: (prompt) =>
    sharp(Buffer.from(drawArtwork(prompt, chance)))
      .png()
      .toBuffer(),
}
