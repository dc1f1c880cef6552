/**
 * A colour by how it looks: lightness 0 to 1, chroma 0 to about 0.3, hue in degrees; as #rrggbb. Chroma that a screen
 * cannot show is lowered, lightness stays. (Matrices: Björn Ottosson, Oklab.)
 */
export function oklch(lightness: number, chroma: number, hue: number): string {
  for (let shown = chroma; shown > 0.001; shown -= 0.005) {
    const channels = toRgb(lightness, shown, hue)
    if (channels.every((value) => value >= -0.0005 && value <= 1.0005)) return toHex(channels)
  }
  return toHex(toRgb(lightness, 0, hue))
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

function toHex(linear: number[]): string {
  const digits = linear.map((value) => {
    const encoded = value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055
    const byte = Math.round(Math.min(1, Math.max(0, encoded)) * 255)
    return byte.toString(16).padStart(2, '0')
  })
  return `#${digits.join('')}`
}
