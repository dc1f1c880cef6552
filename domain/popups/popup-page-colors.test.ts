import { expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { popupColorsOf } from './popup-page-colors.ts'
import { themePresets } from '#domain/bio/themes.ts'

it('a popup takes the colors of the page', () => {
  expect(
    popupColorsOf({ primary: '207 90% 36%', background: '0 0% 100%', text: '0 0% 0%' }),
  ).toEqual({
    background_color: '#ffffff',
    text_color: '#000000',
    button_color: '#0964ae',
    button_text_color: '#ffffff',
  })
})

it('texts on it can be read, in each preset and on a page in gray on gray', () => {
  const gray = { primary: '0 0% 50%', background: '0 0% 60%', text: '0 0% 55%' }
  for (const theme of [...themePresets, gray]) {
    const colors = popupColorsOf(theme)
    expect(contrast(colors.text_color, colors.background_color)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(colors.button_text_color, colors.button_color)).toBeGreaterThanOrEqual(3)
  }
})
