import { deflateSync } from 'node:zlib'

/**
 * A PDF with one page that a picture fills.
 *
 * @param pixels three bytes each: red, green, blue
 * @param size of the page, in points of a 72nd of an inch
 */
export function pdfOfPixels(
  pixels: Buffer,
  picture: { width: number; height: number },
  size: { width: number; height: number },
): Buffer {
  const page = `${size.width.toFixed(2)} ${size.height.toFixed(2)}`
  const content = `q ${size.width.toFixed(2)} 0 0 ${size.height.toFixed(2)} 0 0 cm /P Do Q`
  const data = deflateSync(pixels, { level: 9 })
  const objects: Buffer[] = [
    Buffer.from('<</Type/Catalog/Pages 2 0 R>>'),
    Buffer.from('<</Type/Pages/Kids[3 0 R]/Count 1>>'),
    Buffer.from(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${page}]/Contents 4 0 R/Resources<</XObject<</P 5 0 R>>>>>>`,
    ),
    streamOf('', Buffer.from(content)),
    streamOf(
      `/Type/XObject/Subtype/Image/Width ${picture.width}/Height ${picture.height}/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode`,
      data,
    ),
  ]
  const parts = [Buffer.from('%PDF-1.4\n%\xE2\xE3\xCF\xD3\n', 'latin1')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  objects.forEach((object, index) => {
    const whole = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      object,
      Buffer.from('\nendobj\n'),
    ])
    offsets.push(length)
    length += whole.length
    parts.push(whole)
  })
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  const count = objects.length + 1
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}trailer\n<</Size ${count}/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}

function streamOf(entries: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${entries}/Length ${data.length}>>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ])
}
