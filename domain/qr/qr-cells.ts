import encodeQR from 'qr'

/** Rows of a QR code without its quiet zone; true where a cell is dark. */
export type QrCells = readonly (readonly boolean[])[]

/** Light cells around a code, on every side (ISO/IEC 18004). */
export const quietCells = 4

/** Cells of each of the three large squares at the corners. */
export const finderCells = 7

/**
 * The code of a text in the smallest version that holds it, at level H.
 *
 * @throws {QrTooLongError} if no version holds the text (1,273 bytes)
 */
export function qrCells(text: string): QrCells {
  return withRim(text)
    .slice(1, -1)
    .map((row) => row.slice(1, -1))
}

/** The text with the most cells in its code. */
export function densestText(texts: readonly string[]): string | undefined {
  // A longer text in the same letters never gives a smaller code, so most texts need not be drawn.
  const longest = new Map<boolean, string>()
  for (const text of texts) {
    const isAlphanumeric = /^[0-9A-Z $%*+\-./:]*$/.test(text)
    const known = longest.get(isAlphanumeric)
    if (known === undefined || text.length > known.length) longest.set(isAlphanumeric, text)
  }
  const cellsOf = (text: string) => qrCells(text).length
  return [...longest.values()].sort((one, other) => cellsOf(other) - cellsOf(one))[0]
}

/** No QR code holds so much text. */
export class QrTooLongError extends Error {}

/** The encoder draws at least one light cell around the code. */
function withRim(text: string): boolean[][] {
  try {
    return encodeQR(text, 'raw', { ecc: 'high', border: 1 })
  } catch (cause) {
    throw new QrTooLongError('No QR code holds so much text', { cause })
  }
}

/** Whether a cell belongs to one of the three squares at the corners. */
export function isOfFinder(x: number, y: number, size: number): boolean {
  const isFirst = (at: number) => at < finderCells
  const isLast = (at: number) => at >= size - finderCells
  return (isFirst(x) && (isFirst(y) || isLast(y))) || (isLast(x) && isFirst(y))
}
