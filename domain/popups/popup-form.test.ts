import { describe, expect, test } from 'vitest'
import { contrast } from '#domain/colors.ts'
import { newPopup, popupForm } from './popup-form.ts'
import { readGeneratedContent, readGeneratedDesign, readImageUrl } from './popup-generated.ts'

const titled = { ...newPopup, title: 'Spring sale' }
const firstMessage = (draft: unknown) => popupForm.safeParse(draft).error?.issues[0]?.message

describe('the popup form', () => {
  test('has defaults that can be read and saved', () => {
    expect(popupForm.parse(titled)).toMatchObject({
      title: 'Spring sale',
      cta_url: null,
      trigger_delay: 3,
    })
    expect(contrast(newPopup.text_color, newPopup.background_color)).toBeGreaterThan(4.5)
    // Large and bold: WCAG AA asks for 3.
    expect(newPopup.button_text_color).toBe('#ffffff')
    expect(contrast(newPopup.button_text_color, newPopup.button_color)).toBeGreaterThan(3)
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//example.com',
    'example',
    'https://user@example.com',
    'https:\\\\example.com',
  ])('takes %s as no button address', (cta_url) => {
    expect(firstMessage({ ...titled, cta_url })).toContain('http://')
  })

  test('adds https:// to a button address that is typed without it', () => {
    const parsed = popupForm.parse({ ...titled, cta_url: 'example.com/sale' })
    expect(parsed.cta_url).toBe('https://example.com/sale')
  })

  test.each(['red', 'url(//x)', '#12345', '#1234567', 'rgb(0,0,0)', '', '#fff;color:red'])(
    'takes %j as no color',
    (button_color) => {
      expect(firstMessage({ ...titled, button_color })).toBe('Please enter a color like #1a2b3c')
    },
  )

  test('keeps delay and radius within their bounds', () => {
    for (const wrong of [-1, 11, 1e9, Number.NaN]) {
      expect(popupForm.safeParse({ ...titled, trigger_delay: wrong }).success).toBe(false)
    }
    for (const wrong of [-1, 25, 1.5]) {
      expect(popupForm.safeParse({ ...titled, border_radius: wrong }).success).toBe(false)
    }
  })
})

describe('a generated answer', () => {
  const design = {
    backgroundColor: '#FFFFFF',
    textColor: '#000000',
    buttonColor: '#112233',
    buttonTextColor: '#ffffff',
    accentColor: '#445566',
    borderRadius: 8,
    fontStyle: 'modern',
    shadowStyle: 'soft',
    size: 'large',
  }

  test('comes through with only the fields it is asked for', () => {
    const answer = { title: 'A', description: 'B', ctaText: 'C', ctaUrl: 'https://evil.example' }
    expect(readGeneratedContent(`Here: ${JSON.stringify(answer)} Bye.`)).toEqual({
      title: 'A',
      description: 'B',
      cta_text: 'C',
      collect_email: false,
    })
    expect(readGeneratedDesign(JSON.stringify({ ...design, position: 'top' }))).toEqual({
      look: {
        background_color: '#ffffff',
        text_color: '#000000',
        button_color: '#112233',
        button_text_color: '#ffffff',
        border_radius: 8,
        font_style: 'modern',
        shadow_style: 'soft',
        size_preset: 'large',
      },
      mended: [],
    })
  })

  test('changes only the fields of the look that the prompt was about', () => {
    const answer = { ...design, mended: ['textColor'], understood: ['buttonColor', 'size'] }
    expect(readGeneratedDesign(JSON.stringify(answer))).toEqual({
      look: { button_color: '#112233', size_preset: 'large' },
      mended: [],
    })
    expect(readGeneratedDesign(JSON.stringify({ ...design, understood: [] }))?.look).toEqual({})
  })

  test.each([
    { textColor: 'red' },
    { borderRadius: 99 },
    { borderRadius: '8' },
    { fontStyle: 'Comic Sans' },
    { size: 'full-width' },
    { shadowStyle: null },
  ])('with %j is refused whole', (wrong) => {
    expect(readGeneratedDesign(JSON.stringify({ ...design, ...wrong }))).toBeNull()
  })

  test.each([
    'https://tracker.example/a.png',
    'data:image/png;base64,AAAA',
    '/media/../auth/v1/user',
    '/media/a.svg',
    '//evil.example/media/a.png',
    7,
  ])('gives no picture for %j', (imageUrl) => {
    expect(readImageUrl({ imageUrl })).toBeNull()
    expect(readImageUrl({ imageUrl: '/media/0a1b.webp' })).toBe('/media/0a1b.webp')
  })
})
