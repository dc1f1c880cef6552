import { contrast } from '#domain/colors.ts'
import type { PopupDesign } from '../../answers.ts'
import { type NamedColors, readColors } from './design-colors.ts'
import { type Look, type Random, readLook } from './look.ts'
import { hueOf, oklch } from './oklch.ts'

/** Designs a popup without an AI: what the prompt spells out is taken literally, a mood fills in the rest. */
export function draftDesign(prompt: string, random: Random): PopupDesign {
  const look = readLook(prompt, random)
  return { ...designColors(readColors(prompt), look), ...look.shape }
}

/** Named colors are used as they are, even where they clash: contrast.ts mends what cannot be read. */
function designColors(named: NamedColors, look: Look) {
  const backgroundColor =
    named.background ?? looseBackground(named.other, look) ?? moodBackground(named, look)
  const remaining = named.other.filter((color) => color !== backgroundColor)
  const buttonColor =
    named.button ??
    remaining[0] ??
    moodColor(backgroundColor, hueFor(named, look), 3, look.strength)
  return {
    backgroundColor,
    textColor: named.text ?? moodText(backgroundColor, 7),
    buttonColor,
    buttonTextColor: named.buttonText ?? moodText(buttonColor, 4.5),
    accentColor: remaining[1] ?? moodColor(backgroundColor, look.hues[1], 3, look.strength),
  }
}

/** 'black and gold' and 'mint and white' name a background: the darkest or lightest of the colors, if it is extreme. */
function looseBackground(colors: readonly string[], look: Look): string | undefined {
  const dark = colors.find((color) => hueOf(color).lightness < 0.35)
  const light = colors.find((color) => hueOf(color).lightness > 0.93)
  if (look.ground === 'dark') return dark
  if (light !== undefined) return light
  return colors.length > 1 || dark === '#000000' ? dark : undefined
}

function moodBackground({ text, button, other }: NamedColors, look: Look) {
  const lead = other[0] ?? button
  const { hue, chroma } = lead ? hueOf(lead) : { hue: look.hues[0], chroma: 0.1 }
  // Gray and black have no hue to tint with.
  const tint = chroma < 0.02 ? 0 : look.strength
  const ground = text === undefined ? look.ground : hueOf(text).lightness > 0.65 ? 'dark' : 'tint'
  if (ground === 'dark') return oklch(0.2, 0.035 * tint, hue)
  return ground === 'tint' && look.ground !== 'light'
    ? oklch(0.955, 0.032 * tint, hue)
    : oklch(0.99, 0.006 * tint, hue)
}

function hueFor({ background, text }: NamedColors, look: Look): number {
  const lead = text ?? background
  return lead && hueOf(lead).chroma > 0.04 ? hueOf(lead).hue : look.hues[0]
}

/** A vivid color of that hue that stands out from the background and carries white text, or black on dark ones. */
function moodColor(background: string, hue: number, minContrast: number, strength: number): string {
  const isDark = hueOf(background).lightness < 0.6
  const label = isDark ? '#111111' : '#ffffff'
  for (let step = 0; step < 45; step++) {
    const color = oklch(isDark ? 0.7 + step / 150 : 0.56 - step / 100, 0.19 * strength, hue)
    if (contrast(color, background) >= minContrast && contrast(color, label) >= 4.5) return color
  }
  return isDark ? '#ffffff' : '#1a1a1a'
}

/** Nearly white or nearly black with a hint of the background's hue, whichever reads better. */
function moodText(background: string, minContrast: number): string {
  const { hue, chroma } = hueOf(background)
  const tint = chroma < 0.01 ? 0 : 0.03
  const deep = oklch(0.25, tint, hue)
  if (contrast(deep, background) >= minContrast) return deep
  return contrast('#ffffff', background) >= 4.5 ||
    contrast('#ffffff', background) > contrast('#000000', background)
    ? '#ffffff'
    : '#000000'
}
