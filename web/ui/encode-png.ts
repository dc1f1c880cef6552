/**
 * A square PNG with a white background and one color (W3C PNG, third edition). Its pixels are bits of a palette, in one
 * uncompressed block, so the side is at most 700 pixels.
 *
 * @param color `#rrggbb`
 */
export function encodePng(
  side: number,
  color: string,
  isColored: (x: number, y: number) => boolean,
): Uint8Array<ArrayBuffer> {
  const lineBytes = 1 + Math.ceil(side / 8)
  // Each line begins with its filter: none.
  const pixels = new Uint8Array(lineBytes * side)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const at = y * lineBytes + 1 + (x >> 3)
      if (isColored(x, y)) pixels[at] = (pixels[at] ?? 0) | (0x80 >> (x & 7))
    }
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return Uint8Array.from([
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    ...chunk('IHDR', [...bytesOf(side), ...bytesOf(side), 1, 3, 0, 0, 0]),
    ...chunk('PLTE', [255, 255, 255, red ?? 0, green ?? 0, blue ?? 0]),
    ...chunk('IDAT', stored(pixels)),
    ...chunk('IEND', []),
  ])
}

function chunk(type: string, data: readonly number[]): number[] {
  const typed = [...Array.from(type, (letter) => letter.charCodeAt(0)), ...data]
  return [...bytesOf(data.length), ...typed, ...bytesOf(crc32(typed))]
}

/** A zlib stream of one stored block (RFC 1950 and 1951). */
function stored(bytes: Uint8Array): number[] {
  const { length } = bytes
  const sizes = [length & 255, length >> 8, ~length & 255, (~length >> 8) & 255]
  return [0x78, 0x01, 0x01, ...sizes, ...bytes, ...bytesOf(adler32(bytes))]
}

const bytesOf = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255)

function crc32(bytes: readonly number[]): number {
  let crc = -1
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc
}

function adler32(bytes: Uint8Array): number {
  let [low, high] = [1, 0]
  for (const byte of bytes) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return high * 65536 + low
}
