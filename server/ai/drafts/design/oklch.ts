import { toHex } from '../../contrast.ts'

/**
 * A color by how it looks: lightness 0 to 1, chroma 0 to about 0.3, hue in degrees; as #rrggbb. Chroma that a screen
 * cannot show is lowered, lightness stays. (Matrices: Björn Ottosson, Oklab.)
 */
export function oklch(lightness: number, chroma: number, hue: number): string {
  for (let shown = chroma; shown > 0.001; shown -= 0.005) {
    const channels = toRgb(lightness, shown, hue)
    if (channels.every((value) => value >= -0.0005 && value <= 1.0005)) return encode(channels)
  }
  return encode(toRgb(lightness, 0, hue))
}

function toRgb(lightness: number, chroma: number, hue: number): number[] {
  const angle = (hue * Math.PI) / 180
  const a = chroma * Math.cos(angle)
  const b = chroma * Math.sin(angle)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function encode(linear: number[]): string {
  const bytes = linear.map((value) => {
    const encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
    return Math.round(Math.min(1, Math.max(0, encoded)) * 255)
  })
  return toHex(bytes)
}

/** How colorful a #rrggbb color is and its hue in degrees: the counterpart of oklch(). */
export function hueOf(hex: string): { hue: number; chroma: number; lightness: number } {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return {
    hue: ((Math.atan2(y, x) * 180) / Math.PI + 360) % 360,
    chroma: Math.hypot(x, y),
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
  }
}
