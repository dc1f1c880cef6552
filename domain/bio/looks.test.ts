import { expect, it } from 'vitest'
import { contrast, mixed } from '#domain/colors.ts'
import { colorsWith, lookOf, looks, plainLook } from './looks.ts'
import { type Theme, themeColorToHex, themePresets } from './themes.ts'

const palettes = [
  ...themePresets.map(({ name, ...theme }) => ({ name: name as string, theme: theme as Theme })),
  ...looks.flatMap(({ name, colors }) => (colors ? [{ name, theme: colors }] : [])),
]
const inks = ['#ffffff', '#161311']

it.each(looks)('$name can be read in every palette: WCAG AA', ({ tint }) => {
  for (const { name, theme } of palettes) {
    const [primary, background, text] = [theme.primary, theme.background, theme.text].map(
      themeColorToHex,
    )
    if (!primary || !background || !text) throw new Error('three colors')
    for (const ground of [background, mixed(primary, background, tint)]) {
      expect([name, contrast(text, ground) >= 4.5]).toEqual([name, true])
      expect([name, contrast(primary, ground) >= 3]).toEqual([name, true])
    }
    const onPrimary = Math.max(...inks.map((ink) => contrast(ink, primary)))
    expect([name, onPrimary >= 4.5]).toEqual([name, true])
  }
})

it('the check notices a ground that hides the text (control)', () => {
  const { text, background, primary } = themePresets[0]
  const ground = mixed(themeColorToHex(primary), themeColorToHex(background), 90)
  expect(contrast(themeColorToHex(text), ground)).toBeLessThan(4.5)
})

it('the list of looks has eight looks besides the plain one, each with a separate name and colors', () => {
  expect(looks).toHaveLength(9)
  expect(new Set(looks.map(({ id }) => id)).size).toBe(9)
  expect(new Set(looks.map(({ name }) => name)).size).toBe(9)
  expect(new Set(looks.slice(1).map(({ colors }) => colors?.background)).size).toBe(8)
})

it('the list of looks brings its colors, and leaves the ones that an owner chose', () => {
  const terminal = lookOf('terminal')
  const own = { ...themePresets[3], primary: '1 2% 3%' }
  expect(colorsWith(terminal, themePresets[3])).toBe(terminal.colors)
  expect(colorsWith(lookOf('poster'), terminal.colors ?? own)).toBe(lookOf('poster').colors)
  expect(colorsWith(terminal, own)).toBe(own)
  expect(colorsWith(plainLook, terminal.colors ?? own)).toBe(terminal.colors)
  expect(lookOf('of another version')).toBe(plainLook)
})
