import jsQR from 'jsqr'
import sharp from 'sharp'

/** The text that a phone reads in a picture. */
export async function scan(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return jsQR(new Uint8ClampedArray(data), info.width, info.height)?.data
}
