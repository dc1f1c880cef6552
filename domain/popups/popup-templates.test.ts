import { describe, expect, it } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { newPopup, popupForm } from './popup-form.ts'
import { popupTemplates } from './popup-templates.ts'

describe('the templates', () => {
  it('are at least six, for as many purposes', () => {
    expect(popupTemplates.length).toBeGreaterThanOrEqual(6)
    expect(new Set(popupTemplates.map(({ id }) => id)).size).toBe(popupTemplates.length)
    expect(new Set(popupTemplates.map(({ part }) => part.background_color)).size).toBe(
      popupTemplates.length,
    )
  })

  it.each(popupTemplates)('$name is finished, and readable', ({ part }) => {
    const draft = { ...newPopup, ...part, cta_url: 'https://example.com/' }
    expect(popupForm.parse(draft)).toEqual({ ...draft, name: null })
    expect(contrast(part.text_color, part.background_color)).toBeGreaterThanOrEqual(4.5)
    expect(contrast(part.button_text_color, part.button_color)).toBeGreaterThanOrEqual(4.5)
    // Its own words, colors and button, not those of an empty popup.
    for (const name of ['title', 'description', 'cta_text', 'button_color'] as const)
      expect(part[name]).not.toBe(newPopup[name])
  })

  it('leave the address of the button and the picture alone', () => {
    for (const { part } of popupTemplates)
      expect(Object.keys(part).filter((name) => name.endsWith('_url'))).toEqual([])
  })
})
