/** The three colors of a bio page, each as it is stored and as CSS hsl() reads it: 'hue saturation% lightness%'. */
export interface Theme {
  readonly primary: string
  readonly background: string
  readonly text: string
}

export interface ThemePreset extends Theme {
  readonly name: string
}

/**
 * The presets; names and number are the specification's. Each passes WCAG AA: text and primary on the background, and the button's own ink on
 * the primary color (a test measures them).
 */
export const themePresets = [
  {
    name: 'Classic Purple',
    primary: '262 83% 58%',
    background: '0 0% 100%',
    text: '222 47% 11%',
  },
  { name: 'Ocean Blue', primary: '207 90% 36%', background: '203 70% 96%', text: '212 60% 15%' },
  { name: 'Sunset Orange', primary: '17 90% 40%', background: '33 100% 95%', text: '14 55% 15%' },
  { name: 'Forest Green', primary: '148 62% 26%', background: '110 28% 95%', text: '152 48% 10%' },
  { name: 'Rose Pink', primary: '338 78% 45%', background: '342 85% 97%', text: '334 52% 17%' },
  { name: 'Dark Mode', primary: '217 92% 72%', background: '240 7% 9%', text: '240 10% 95%' },
  { name: 'Midnight Blue', primary: '190 85% 62%', background: '224 55% 13%', text: '214 65% 94%' },
  { name: 'Warm Terracotta', primary: '13 58% 39%', background: '30 52% 92%', text: '13 40% 15%' },
  { name: 'Cool Mint', primary: '171 80% 23%', background: '158 52% 94%', text: '182 50% 11%' },
  { name: 'Royal Gold', primary: '43 80% 56%', background: '268 32% 12%', text: '46 62% 92%' },
] as const satisfies readonly ThemePreset[]

/** Colors of a new page; the database's column defaults say the same. */
export const defaultTheme: Theme = themePresets[0]

/** The preset that a theme is, or undefined for the owner's own colors. */
export function presetOf(theme: Theme): ThemePreset | undefined {
  return themePresets.find(
    ({ primary, background, text }) =>
      primary === theme.primary && background === theme.background && text === theme.text,
  )
}

const triple = /^(\d{1,3}(?:\.\d{1,4})?) (\d{1,3}(?:\.\d{1,4})?)% (\d{1,3}(?:\.\d{1,4})?)%$/

/** A theme color as #rrggbb, which color pickers speak; black for anything else. */
export function themeColorToHex(color: string): string {
  const [, hue = '0', saturation = '0', lightness = '0'] = triple.exec(color) ?? []
  const s = Math.min(100, Number(saturation)) / 100
  const l = Math.min(100, Number(lightness)) / 100
  const channel = (offset: number) => {
    const k = (offset + Number(hue) / 30) % 12
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

/** A picked #rrggbb as a theme color, with just the decimals that lead back to the same #rrggbb. */
export function themeColorFromHex(hex: string): string {
  for (const decimals of [0, 1, 2]) {
    const color = toTriple(hex, decimals)
    if (themeColorToHex(color) === hex.toLowerCase()) return color
  }
  return toTriple(hex, 3)
}

function toTriple(hex: string, decimals: number): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    (at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255,
  )
  const max = Math.max(red, green, blue)
  const span = max - Math.min(red, green, blue)
  const lightness = max - span / 2
  const saturation = span === 0 ? 0 : span / (1 - Math.abs(2 * lightness - 1))
  const round = (value: number) => Number(value.toFixed(decimals))
  return `${round(hueOf(red, green, blue, max, span))} ${round(saturation * 100)}% ${round(lightness * 100)}%`
}

function hueOf(red: number, green: number, blue: number, max: number, span: number): number {
  if (span === 0) return 0
  if (max === red) return (((green - blue) / span + 6) % 6) * 60
  if (max === green) return ((blue - red) / span + 2) * 60
  return ((red - green) / span + 4) * 60
}
