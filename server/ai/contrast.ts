import { contrast } from '#domain/colors.ts'
import type { MendedColor } from '#domain/popups/popup-generated.ts'
import type { PopupDesign } from './answers.ts'

/**
 * Makes the texts of a design readable: a text color with too little contrast is moved toward black or white until it
 * has enough. Backgrounds stay, and so does every color that can be read.
 */
export function ensureContrast(design: PopupDesign): {
  design: PopupDesign
  mended: MendedColor[]
} {
  const { backgroundColor, buttonColor, textColor, buttonTextColor } = design
  const readable = {
    textColor: readableOn(backgroundColor, textColor),
    buttonTextColor: readableOn(buttonColor, buttonTextColor),
  }
  const mended = (['textColor', 'buttonTextColor'] as const).filter(
    (name) => readable[name] !== design[name],
  )
  return { design: { ...design, ...readable }, mended }
}

/**
 * The color itself when it can be read on that background, else the nearest shade that can.
 *
 * @param minContrast default: WCAG 2.2 AA for text
 */
export function readableOn(background: string, color: string, minContrast = 4.5): string {
  if (contrast(color, background) >= minContrast) return color
  const end =
    contrast('#ffffff', background) >= contrast('#000000', background) ? '#ffffff' : '#000000'
  for (let share = 0.05; share < 1; share += 0.05) {
    const shade = mixColors(color, end, share)
    if (contrast(shade, background) >= minContrast) return shade
  }
  return end
}

/** A color, as #rrggbb, with a share of another one between 0 and 1. */
export function mixColors(color: string, other: string, share: number): string {
  const to = channelsOf(other)
  return toHex(
    channelsOf(color).map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share)),
  )
}

/** White, gray and black, and colors that look so. */
export function isGray(color: string): boolean {
  const channels = channelsOf(color)
  return Math.max(...channels) - Math.min(...channels) < 40
}

/** Red, green and blue, each 0 to 255. */
export function channelsOf(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** #rrggbb of red, green and blue. */
export function toHex(channels: readonly number[]): string {
  return `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}
