import { contrast } from '#domain/colors.ts'

export const cellShapes = ['squares', 'rounded', 'dots', 'leaves'] as const
export const cornerShapes = ['squares', 'rounded', 'circles', 'leaves'] as const
export const qrFrames = ['none', 'caption', 'tab', 'ticket'] as const
export const logoSizes = ['small', 'medium', 'large'] as const

/** Width of a logo by its size, as a part of the code's. */
export const logoParts: Readonly<Record<(typeof logoSizes)[number], number>> = {
  small: 0.2,
  medium: 0.27,
  large: 0.34,
}

/** Shapes, colors, logo and frame of a QR code. Colors are #rrggbb. */
export interface QrLook {
  cells: (typeof cellShapes)[number]
  corners: (typeof cornerShapes)[number]
  color: string
  cornerColor: string
  background: string
  /** Light cells around the code: 4 to 8. */
  quiet: number
  /** A PNG as a data URL. */
  logo: string | null
  logoSize: (typeof logoSizes)[number]
  frame: (typeof qrFrames)[number]
  /** Words of the frame. */
  caption: string
}

export const plainQrLook: QrLook = {
  cells: 'squares',
  corners: 'squares',
  color: '#000000',
  cornerColor: '#000000',
  background: '#ffffff',
  quiet: 4,
  logo: null,
  logoSize: 'small',
  frame: 'none',
  caption: '',
}

export const qrLimits = {
  looks: 20,
  lookName: 60,
  caption: 60,
  /** Characters of a logo as a data URL: a PNG of about 24 kB. */
  logo: 32_768,
  /** Cells of the quiet zone. */
  quiet: [4, 8],
  /** Pixels of the width of a downloaded PNG. */
  pixels: [100, 4_096],
} as const

/** A logo in a look. No other kind of picture can hold a script. */
const logoPattern = /^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/

const colorPattern = /^#[0-9a-f]{6}$/

/**
 * The look in a value from outside, in which everything may be missing.
 *
 * @throws {QrLookError} about the first part that is none
 */
export function readQrLook(value: unknown): QrLook {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new QrLookError('a look is an object')
  const given = new Map(Object.entries(value))
  const look: QrLook = {
    cells: oneOf(given, 'cells', cellShapes),
    corners: oneOf(given, 'corners', cornerShapes),
    color: colorOf(given, 'color'),
    cornerColor: colorOf(given, 'cornerColor'),
    background: colorOf(given, 'background'),
    quiet: quietOf(given.get('quiet')),
    logo: logoOf(given.get('logo')),
    logoSize: oneOf(given, 'logoSize', logoSizes),
    frame: oneOf(given, 'frame', qrFrames),
    caption: captionOf(given.get('caption')),
  }
  const unknown = [...given.keys()].find((name) => !Object.hasOwn(plainQrLook, name))
  if (unknown !== undefined) throw new QrLookError(`a look has no ${unknown.slice(0, 40)}`)
  return look
}

/** A look that cannot be drawn, in words for its author. */
export class QrLookError extends Error {}

/** The look in a stored value, or the plain one where this release cannot read it. */
export function storedLook(value: unknown): QrLook {
  try {
    return readQrLook(value)
  } catch (error) {
    if (error instanceof QrLookError) return plainQrLook
    throw error
  }
}

/** Whether two looks have equal parts. */
export function isSameLook(one: QrLook, other: QrLook): boolean {
  return Object.entries(one).every(([name, value]) => value === other[name as keyof QrLook])
}

/** A look in one other color; as it is without one. */
export function coloredLook(look: QrLook, color: string | undefined): QrLook {
  return color === undefined ? look : { ...look, color, cornerColor: color }
}

/** The contrast of the paler of the two colors with the background, from 1 to 21; negative where a color is the lighter one. */
export function contrastOf({ color, cornerColor, background }: QrLook): number {
  const signed = [color, cornerColor].map((each) => {
    const ratio = contrast(each, background)
    return contrast(each, '#ffffff') < contrast(background, '#ffffff') ? -ratio : ratio
  })
  return Math.min(...signed)
}

function oneOf<const Word extends string>(
  given: ReadonlyMap<string, unknown>,
  name: 'cells' | 'corners' | 'logoSize' | 'frame',
  words: readonly Word[],
): Word {
  const value = given.has(name) ? given.get(name) : plainQrLook[name]
  const word = words.find((each) => each === value)
  if (word === undefined) throw new QrLookError(`${name} is one of ${words.join(', ')}`)
  return word
}

function colorOf(
  given: ReadonlyMap<string, unknown>,
  name: 'color' | 'cornerColor' | 'background',
): string {
  const value = given.has(name) ? given.get(name) : plainQrLook[name]
  const color = typeof value === 'string' ? value.toLowerCase() : ''
  if (!colorPattern.test(color)) throw new QrLookError(`${name} must look like #1a2b3c`)
  return color
}

function quietOf(value: unknown = plainQrLook.quiet): number {
  const [least, most] = qrLimits.quiet
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most)
    return value
  throw new QrLookError(`quiet is a whole number from ${least} to ${most}`)
}

function logoOf(value: unknown = null): string | null {
  if (value === null) return null
  if (typeof value !== 'string' || !logoPattern.test(value))
    throw new QrLookError('logo is a PNG as a data URL')
  if (value.length > qrLimits.logo)
    throw new QrLookError(`a logo has at most ${qrLimits.logo} characters as a data URL`)
  return value
}

function captionOf(value: unknown = ''): string {
  if (typeof value !== 'string' || /[\p{Cc}\p{Cs}]/u.test(value))
    throw new QrLookError('caption is a line of text')
  const caption = value.trim()
  if (Array.from(caption).length > qrLimits.caption)
    throw new QrLookError(`a caption has at most ${qrLimits.caption} characters`)
  return caption
}
