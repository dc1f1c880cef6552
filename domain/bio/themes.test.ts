import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { presetOf, themeColorFromHex, themeColorToHex, themePresets } from './themes.ts'

// Text on buttons: white or the near-black of the pages, the more readable of both.
const inks = ['#ffffff', '#161311']

it.each(themePresets)('$name can be read: WCAG AA', ({ primary, background, text }) => {
  const [p, b, t] = [primary, background, text].map(themeColorToHex)
  if (!p || !b || !t) throw new Error('three colors')
  expect(contrast(t, b)).toBeGreaterThanOrEqual(7)
  expect(contrast(p, b)).toBeGreaterThanOrEqual(4.5)
  expect(Math.max(...inks.map((ink) => contrast(ink, p)))).toBeGreaterThanOrEqual(4.5)
})

it('the list of themes has the ten names of the specification', () => {
  expect(themePresets.map(({ name }) => name)).toEqual([
    'Classic Purple',
    'Ocean Blue',
    'Sunset Orange',
    'Forest Green',
    'Rose Pink',
    'Dark Mode',
    'Midnight Blue',
    'Warm Terracotta',
    'Cool Mint',
    'Royal Gold',
  ])
})

it('the list of themes finds a preset by its colors, and none for own ones', () => {
  for (const preset of themePresets) expect(presetOf({ ...preset })?.name).toBe(preset.name)
  expect(presetOf({ ...themePresets[0], text: '0 0% 0%' })).toBeUndefined()
})

it('the list of themes turns a picked color into three numbers and back into the same color', () => {
  expect(themeColorToHex('262 83% 58%')).toBe('#7c3bed')
  expect(themeColorFromHex('#ffffff')).toBe('0 0% 100%')
  expect(themeColorFromHex('#FF0000')).toBe('0 100% 50%')
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (number) => {
      const hex = `#${number.toString(16).padStart(6, '0')}`
      const color = themeColorFromHex(hex)
      expect(color).toMatch(/^\d{1,3}(\.\d{1,4})? \d{1,3}(\.\d{1,4})?% \d{1,3}(\.\d{1,4})?%$/)
      expect(themeColorToHex(color)).toBe(hex)
    }),
    { numRuns: 5_000 },
  )
})
