import sharp from 'sharp'
import { escapeMarkup } from '../primitives/escape-markup.ts'

let fonts: Promise<boolean> | undefined

/** Without a font every letter is the same empty box, so a narrow and a wide one look the same. */
export function hasFonts(): Promise<boolean> {
  const draw = (letter: string) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60">${words(letter, 5, 45, 40, '#000')}</svg>`,
      ),
    )
      .raw()
      .toBuffer()
  fonts ??= Promise.all([draw('i'), draw('W')]).then(([thin, wide]) => !thin.equals(wide))
  return fonts
}

/** A line of text as an SVG element. */
export function words(
  text: string,
  x: number,
  y: number,
  size: number,
  fill: string,
  anchor = 'start',
  weight = 700,
  family = 'Geist, Inter, Helvetica, Arial, DejaVu Sans, sans-serif',
): string {
  return `<text x="${x}" y="${y}" font-family="${family}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${fill}">${escape(text)}</text>`
}

/** Breaks at spaces, and inside words that are longer than a line. A text that does not fit ends in an ellipsis. */
export function linesOf(text: string, maxLineLength: number, maxLines: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.trim().split(/\s+/u).slice(0, 100)) {
    const pieces = word.match(new RegExp(`.{1,${maxLineLength}}`, 'gu')) ?? []
    for (const piece of pieces) {
      if (line !== '' && line.length + 1 + piece.length > maxLineLength) {
        lines.push(line)
        line = piece
      } else {
        line = line === '' ? piece : `${line} ${piece}`
      }
    }
  }
  if (line !== '') lines.push(line)
  if (lines.length <= maxLines) return lines
  return [...lines.slice(0, maxLines - 1), `${lines[maxLines - 1] ?? ''} …`]
}

/** The largest font size up to `size` at which each of the lines fits into `room` pixels: letters differ in width. */
export async function sizeFor(
  lines: readonly string[],
  { size, room, weight }: { size: number; room: number; weight: number },
): Promise<number> {
  if (lines.length === 0) return size
  const drawn = lines.map((line, i) => words(line, 0, 30 + i * 40, 20, '#000', 'start', weight))
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="${lines.length * 40}">${drawn.join('')}</svg>`
  const { info } = await sharp(Buffer.from(svg)).trim().raw().toBuffer({ resolveWithObject: true })
  return Math.min(size, Math.floor((20 * room) / info.width))
}

/** Escapes a text for XML, and removes control characters and lone surrogates. */
function escape(text: string): string {
  return escapeMarkup(text.replaceAll(/[\p{Cc}\p{Cs}]/gu, ' '))
}
