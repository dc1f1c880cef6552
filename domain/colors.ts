/** The WCAG contrast ratio of a color written as #rrggbb against white, from 1 to 21. */
export function contrastWithWhite(hex: string): number {
  return contrast(hex, '#ffffff')
}

/** The WCAG contrast ratio of two colors written as #rrggbb, from 1 to 21. */
export function contrast(a: string, b: string): number {
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** A color as people type it (`#3b82f6`, `3B82F6`, `#fff`) as #rrggbb in lower case, or null if it is none. */
export function normalHex(typed: string): string | null {
  const digits = /^#?([0-9a-f]{6}|[0-9a-f]{3})$/i.exec(typed.trim())?.[1]?.toLowerCase()
  if (digits === undefined) return null
  return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`
}

/** Result of `color-mix(in srgb, a percent%, b)`, for two colors written as #rrggbb. */
export function mixed(a: string, b: string, percent: number): string {
  const channel = (at: number) => {
    const [from = 0, to = 0] = [a, b].map((hex) => Number.parseInt(hex.slice(at, at + 2), 16))
    return Math.round((from * percent + to * (100 - percent)) / 100)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(1)}${channel(3)}${channel(5)}`
}
