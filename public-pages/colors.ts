import type { PopupView, ThemeView } from './view-models.ts'

/** Custom properties for a style sheet or a style attribute. Their values are validated. */
export type Properties = Readonly<Record<`--hp-${string}`, string>>

const defaultTheme: ThemeView = {
  primary: '262 83% 58%',
  background: '0 0% 100%',
  text: '222 47% 11%',
}
const hslTriple = /^(\d{1,3}(?:\.\d{1,4})?) (\d{1,3}(?:\.\d{1,4})?)% (\d{1,3}(?:\.\d{1,4})?)%$/
const hexColor = /^#[0-9a-f]{6}$/i

/** The owner's colors of a bio page, and a readable text color for each that is used as a background. */
export function themeProperties(theme: ThemeView) {
  const { primary, background, text } = validTheme(theme)
  return {
    '--hp-bio-primary': `hsl(${primary})`,
    '--hp-bio-background': `hsl(${background})`,
    '--hp-bio-text': `hsl(${text})`,
    '--hp-bio-on-primary': inkOn(luminanceOfHsl(primary)),
    '--hp-bio-on-text': inkOn(luminanceOfHsl(text)),
  } satisfies Properties
}

function validTheme(theme: ThemeView): ThemeView {
  const valid = (key: keyof ThemeView) =>
    hslTriple.test(theme[key]) ? theme[key] : defaultTheme[key]
  return { primary: valid('primary'), background: valid('background'), text: valid('text') }
}

/** The owner's colors around the popup of a short link. The way on is readable in any colors of the owner. */
export function ownerProperties(theme: ThemeView): Properties {
  const { primary, background, text } = validTheme(theme)
  const ground = luminanceOfHsl(background)
  const isReadable = contrastOf(luminanceOfHsl(text), ground) >= 4.5
  return {
    '--hp-way-paper': `hsl(${background})`,
    '--hp-way-ink': isReadable ? `hsl(${text})` : inkOn(ground),
    '--hp-way-accent': `hsl(${primary})`,
    '--hp-way-on-accent': inkOn(luminanceOfHsl(primary)),
  }
}

/** The owner's colors and corner radius of a popup. */
export function popupProperties(popup: PopupView) {
  const valid = (value: string, fallback: string) => (hexColor.test(value) ? value : fallback)
  const radius = Number.isFinite(popup.border_radius)
    ? Math.min(24, Math.max(0, Math.round(popup.border_radius)))
    : 16
  return {
    '--hp-popup-background': valid(popup.background_color, '#ffffff'),
    '--hp-popup-text': valid(popup.text_color, '#1a1a1a'),
    '--hp-popup-button': valid(popup.button_color, '#3b82f6'),
    '--hp-popup-button-text': valid(popup.button_text_color, '#ffffff'),
    '--hp-popup-radius': `${radius}px`,
  } satisfies Properties
}

/** A CSS rule with the properties, for a style element. */
export function styleRule(selector: string, properties: Properties): string {
  const lines = Object.entries(properties).map(([name, value]) => `${name}:${value}`)
  return `${selector}{${lines.join(';')}}`
}

const black = '#161311'
const blackLuminance = 0.0065

function inkOn(luminance: number): string {
  return contrastOf(1, luminance) >= contrastOf(blackLuminance, luminance) ? '#ffffff' : black
}

/** The WCAG contrast ratio of two luminances. */
function contrastOf(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

/** WCAG relative luminance, 0 to 1. */
function luminanceOfHsl(triple: string): number {
  const [, hue = '0', saturation = '0', lightness = '0'] = hslTriple.exec(triple) ?? []
  const s = Math.min(100, Number(saturation)) / 100
  const l = Math.min(100, Number(lightness)) / 100
  const channel = (offset: number) => {
    const k = (offset + Number(hue) / 30) % 12
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4)
}
