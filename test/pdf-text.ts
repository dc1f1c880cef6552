import { inflateSync } from 'node:zlib'

/** The drawn text of a PDF, by the maps of its fonts from glyphs to letters. */
export function pdfText(bytes: Buffer): string {
  const objects = objectsOf(bytes)
  const fonts = new Map<string, ReadonlyMap<string, string>>()
  for (const { head } of objects.values())
    for (const [, name = '', number = ''] of head.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const map = /\/ToUnicode (\d+) 0 R/.exec(objects.get(number)?.head ?? '')?.[1] ?? ''
      fonts.set(name, lettersOf(objects.get(map)?.data ?? ''))
    }
  return [...objects.values()].flatMap(({ data }) => piecesOf(data, fonts)).join('')
}

interface PdfObject {
  head: string
  /** Its stream, unpacked. */
  data: string
}

function objectsOf(bytes: Buffer): ReadonlyMap<string, PdfObject> {
  const source = bytes.toString('latin1')
  const found = new Map<string, PdfObject>()
  for (const [, number = '', body = ''] of source.matchAll(/\n(\d+) 0 obj\n(.*?)\nendobj/gs)) {
    const [head = '', stream] = body.split(/\nstream\n/)
    const isPacked = stream !== undefined && head.includes('/FlateDecode')
    const data = isPacked ? inflateSync(Buffer.from(stream, 'latin1')).toString('latin1') : ''
    found.set(number, { head, data })
  }
  return found
}

/** Glyphs to letters, both in hexadecimal digits. */
function lettersOf(map: string): ReadonlyMap<string, string> {
  const letters = new Map<string, string>()
  for (const [, first = '', list = ''] of map.matchAll(/<(\w{4})> <\w{4}> \[([^\]]*)\]/g))
    for (const [index, [, code = '']] of [...list.matchAll(/<([\w ]*)>/g)].entries()) {
      const glyph = (Number.parseInt(first, 16) + index).toString(16).padStart(4, '0')
      letters.set(glyph, Buffer.from(code.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'))
    }
  return letters
}

function piecesOf(
  content: string,
  fonts: ReadonlyMap<string, ReadonlyMap<string, string>>,
): string[] {
  const pieces: string[] = []
  for (const [, name = '', drawn = ''] of content.matchAll(/\/(F\d+) [\d.]+ Tf.*?\[(.*?)\] TJ/gs)) {
    const glyphs = [...drawn.matchAll(/<(\w+)>/g)].flatMap(([, hex = '']) => hex.match(/.{4}/g))
    pieces.push(glyphs.map((glyph) => fonts.get(name)?.get(glyph ?? '') ?? '').join(''))
  }
  return pieces
}
