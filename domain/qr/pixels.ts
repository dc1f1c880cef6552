/** A picture as RGBA bytes, row by row. */
export interface Pixels {
  width: number
  height: number
  data: Uint8ClampedArray<ArrayBuffer>
}

/** Brightness of each pixel: 0 to 255. */
interface Gray {
  width: number
  height: number
  data: Float32Array
}

/** Passes of a box that come close to a Gaussian. */
const passes = 3

/** Blurs the brightness as a lens out of focus does: close to a Gaussian. `sigma` is in pixels. */
export function blurred(pixels: Pixels, sigma: number): Pixels {
  let gray = grayOf(pixels)
  for (const size of boxSizes(sigma)) gray = boxAlong(boxAlong(gray, size, true), size, false)
  return pixelsOf(gray)
}

/** Odd sizes of boxes with the variance of a Gaussian together (W. M. Wells 1986). */
function boxSizes(sigma: number): number[] {
  const ideal = Math.sqrt((12 * sigma ** 2) / passes + 1)
  const lower = Math.floor(ideal) - (Math.floor(ideal) % 2 === 0 ? 1 : 0)
  const count = Math.round(
    (12 * sigma ** 2 - passes * lower ** 2 - 4 * passes * lower - 3 * passes) / (-4 * lower - 4),
  )
  return Array.from({ length: passes }, (_, index) => (index < count ? lower : lower + 2))
}

function boxAlong({ width, height, data }: Gray, size: number, isAcross: boolean): Gray {
  const result = new Float32Array(data.length)
  const reach = (size - 1) / 2
  const [lines, length] = isAcross ? [height, width] : [width, height]
  const [lineStep, step] = isAcross ? [width, 1] : [1, width]
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep
    const value = (at: number) => data[start + Math.min(length - 1, Math.max(0, at)) * step] ?? 0
    let sum = 0
    for (let at = -reach; at <= reach; at++) sum += value(at)
    for (let at = 0; at < length; at++) {
      result[start + at * step] = sum / size
      sum += value(at + reach + 1) - value(at - reach)
    }
  }
  return { width, height, data: result }
}

/** Turns the brightness around the middle, on a canvas that holds all of it; the rest has that of the first pixel. */
export function turned(pixels: Pixels, degrees: number): Pixels {
  const { width, height, data } = grayOf(pixels)
  const angle = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  const wide = Math.ceil(width * Math.abs(cos) + height * Math.abs(sin))
  const high = Math.ceil(width * Math.abs(sin) + height * Math.abs(cos))
  const result = new Float32Array(wide * high)
  const ground = data[0] ?? 255
  const at = (x: number, y: number) =>
    x < 0 || y < 0 || x >= width || y >= height ? ground : (data[y * width + x] ?? ground)
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const [fromX, fromY] = [x + 0.5 - wide / 2, y + 0.5 - high / 2]
      const sourceX = fromX * cos + fromY * sin + width / 2 - 0.5
      const sourceY = fromY * cos - fromX * sin + height / 2 - 0.5
      const [left, top] = [Math.floor(sourceX), Math.floor(sourceY)]
      const [partX, partY] = [sourceX - left, sourceY - top]
      const upper = at(left, top) * (1 - partX) + at(left + 1, top) * partX
      const lower = at(left, top + 1) * (1 - partX) + at(left + 1, top + 1) * partX
      result[y * wide + x] = upper * (1 - partY) + lower * partY
    }
  }
  return pixelsOf({ width: wide, height: high, data: result })
}

function grayOf({ width, height, data }: Pixels): Gray {
  const gray = new Float32Array(width * height)
  for (let i = 0; i < gray.length; i++) {
    const [red, green, blue] = [data[4 * i] ?? 0, data[4 * i + 1] ?? 0, data[4 * i + 2] ?? 0]
    gray[i] = 0.299 * red + 0.587 * green + 0.114 * blue
  }
  return { width, height, data: gray }
}

function pixelsOf({ width, height, data }: Gray): Pixels {
  const rgba = new Uint8ClampedArray(data.length * 4)
  for (let i = 0; i < data.length; i++) {
    const value = data[i] ?? 0
    rgba[4 * i] = value
    rgba[4 * i + 1] = value
    rgba[4 * i + 2] = value
    rgba[4 * i + 3] = 255
  }
  return { width, height, data: rgba }
}
