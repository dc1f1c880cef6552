import { contrast, contrastWithWhite } from '#domain/colors.ts'
import type { PopupDesign } from '../../answers.ts'
import { isGray, mixColors, readableOn } from '../../contrast.ts'
import { type NamedColors, readColors } from './design-colors.ts'
import { type Look, type Random, readLook } from './look.ts'

/** Designs a popup without an AI: what the prompt spells out is taken literally, a mood fills in the rest. */
export function draftDesign(prompt: string, random: Random): PopupDesign {
  const look = readLook(prompt, random)
  return { ...designColors(readColors(prompt), look), ...look.shape }
}

/** Named colors are used as they are, even where they clash: contrast.ts mends what cannot be read. */
function designColors(named: NamedColors, look: Look) {
  const [main, accent] = look.colors
  const backgroundColor =
    named.background ?? looseBackground(named.other, look) ?? moodBackground(named, look)
  const remaining = named.other.filter((color) => color !== backgroundColor)
  const lead = [named.text, named.background].find((color) => color && !isGray(color)) ?? main
  const buttonColor = named.button ?? remaining[0] ?? readableOn(backgroundColor, lead)
  return {
    backgroundColor,
    textColor: named.text ?? textOn(backgroundColor),
    buttonColor,
    buttonTextColor: named.buttonText ?? textOn(buttonColor),
    accentColor: remaining[1] ?? readableOn(backgroundColor, accent, 3),
  }
}

/** 'black and gold' and 'mint and white' name a background: the darkest or lightest of the colors, if it is extreme. */
function looseBackground(colors: readonly string[], look: Look): string | undefined {
  const dark = colors.find((color) => contrastWithWhite(color) > 11)
  const light = colors.find((color) => contrastWithWhite(color) < 1.25)
  if (look.ground === 'dark') return dark
  if (light !== undefined) return light
  return colors.length > 1 || dark === '#000000' ? dark : undefined
}

function moodBackground({ text, button, other }: NamedColors, look: Look): string {
  const lead = other[0] ?? button ?? look.colors[0]
  const isLightText = text !== undefined && contrastWithWhite(text) < 3
  if (isLightText || (text === undefined && look.ground === 'dark'))
    return mixColors('#151316', lead, 0.12)
  return mixColors('#ffffff', lead, look.ground === 'light' ? 0.02 : 0.1)
}

/** Nearly black with a hint of the background, or white: whichever reads better. */
function textOn(background: string): string {
  const deep = mixColors('#151316', background, 0.15)
  const isDeep = contrast(deep, background) > contrastWithWhite(background)
  return readableOn(background, isDeep ? deep : '#ffffff')
}
