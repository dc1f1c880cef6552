import { contrast, contrastWithWhite } from '#domain/colors.ts'
import { type DesignAnswer, designFields, type PopupDesign } from '../../answers.ts'
import { isGray, mixColors, readableOn } from '../../contrast.ts'
import { type NamedColors, readColors } from './design-colors.ts'
import { type Look, readLook, wantedIn } from './look.ts'

const plainShape = {
  fontStyle: 'modern',
  borderRadius: 16,
  shadowStyle: 'medium',
  size: 'medium',
} as const satisfies Partial<PopupDesign>

/** Button and accent for prompts that want colors and name none for them. */
const neutral = { onLight: '#2b2d33', onDark: '#f0b35a' }

/**
 * Designs a popup without an AI: details in the prompt are taken literally, a mood fills in the rest. `understood`
 * names the fields that the prompt says something about; the others hold a plain look.
 */
export function draftDesign(prompt: string): DesignAnswer {
  const named = readColors(wantedIn(prompt))
  const look = readLook(prompt, named.rest)
  const shape = Object.fromEntries(
    Object.entries(look.shape).filter(([, value]) => value !== undefined),
  )
  const design = { ...designColors(named, look), ...plainShape, ...shape }
  const understood = new Set([...Object.keys(shape), ...colorsIn(named, look)])
  return { ...design, understood: designFields.filter((field) => understood.has(field)) }
}

/** A named button is changed alone; any other color changes all, so that they go together. */
function colorsIn(named: NamedColors, { colors, ground }: Look): readonly string[] {
  const { background, text, button, buttonText, other } = named
  if (colors || ground || background || text || other.length > 0)
    return ['backgroundColor', 'textColor', 'buttonColor', 'buttonTextColor', 'accentColor']
  return button || buttonText ? ['buttonColor', 'buttonTextColor'] : []
}

/** Named colors are used as they are, even where they clash: contrast.ts corrects unreadable pairs. */
function designColors(named: NamedColors, look: Look) {
  const backgroundColor =
    named.background ?? looseBackground(named, look) ?? moodBackground(named, look)
  const remaining = named.other.filter((color) => color !== backgroundColor)
  const plain = contrastWithWhite(backgroundColor) > 4.5 ? neutral.onDark : neutral.onLight
  const lead = [named.text, named.background].find((color) => color && !isGray(color))
  const [main, accent] = look.colors ?? [lead ?? plain, lead ?? plain]
  const buttonColor = named.button ?? remaining[0] ?? readableOn(backgroundColor, lead ?? main)
  return {
    backgroundColor,
    textColor: named.text ?? textOn(backgroundColor),
    buttonColor,
    buttonTextColor: named.buttonText ?? textOn(buttonColor),
    accentColor: remaining[1] ?? readableOn(backgroundColor, accent, 3),
  }
}

/**
 * 'black and gold' and 'mint and white' name a background: the lightest or darkest of the colors, if it is extreme. A
 * single dark or pale color is the background too, and so is any beside a named button.
 */
function looseBackground({ other, button }: NamedColors, { ground }: Look): string | undefined {
  const isSingle = other.length === 1
  const [lightest, darkest] = extremesOf(other)
  if (lightest === undefined || darkest === undefined) return undefined
  if (button !== undefined && isSingle && other[0] !== button) return lightest
  const isLight = contrastWithWhite(lightest) < (isSingle ? 2.1 : 1.6)
  const isDark = contrastWithWhite(darkest) > (isSingle ? 8 : 11)
  if (isLight && ground !== 'dark') return lightest
  return isDark && ground !== 'light' ? darkest : undefined
}

function extremesOf(colors: readonly string[]): [lightest?: string, darkest?: string] {
  const sorted = colors.toSorted((a, b) => contrastWithWhite(a) - contrastWithWhite(b))
  const [lightest, darkest] = [sorted[0], sorted.at(-1)]
  return lightest === undefined || darkest === undefined ? [] : [lightest, darkest]
}

function moodBackground({ text, button, other }: NamedColors, look: Look): string {
  const lead = other[0] ?? button ?? look.colors?.[0] ?? '#808080'
  const isLightText = text !== undefined && contrastWithWhite(text) < 3
  const isDark = text === undefined && look.ground === 'dark'
  const isPaleButton =
    button !== undefined && look.ground === undefined && contrastWithWhite(button) < 1.5
  if (isLightText || isDark || isPaleButton) return mixColors('#151316', lead, 0.12)
  return mixColors('#ffffff', lead, look.ground === 'light' ? 0.02 : 0.1)
}

/** Nearly black with a hint of the background, or white: whichever reads better. */
function textOn(background: string): string {
  const deep = mixColors('#151316', background, 0.15)
  const isDeep = contrast(deep, background) > contrastWithWhite(background)
  return readableOn(background, isDeep ? deep : '#ffffff')
}
