import { describe, expect, test } from 'vitest'
import { contrast } from './colors.ts'
import { newPopup, popupForm } from './popup-form.ts'
import { readGeneratedContent, readGeneratedDesign, readImageUrl } from './popup-generated.ts'

const titled = { ...newPopup, title: 'Spring sale' }
const firstMessage = (draft: unknown) => popupForm.safeParse(draft).error?.issues[0]?.message

describe('the popup form', () => {
  test('has defaults that can be read and saved', () => {
    expect(popupForm.parse(titled)).toMatchObject({ title: 'Spring sale', ctaUrl: null, delay: 3 })
    expect(contrast(newPopup.textColor, newPopup.backgroundColor)).toBeGreaterThan(4.5)
    // Large and bold: WCAG AA asks for 3.
    expect(newPopup.buttonTextColor).toBe('#ffffff')
    expect(contrast(newPopup.buttonTextColor, newPopup.buttonColor)).toBeGreaterThan(3)
  })

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    '//example.com',
    'example.com',
    'https://user@example.com',
    'https:\\\\example.com',
  ])('takes %s as no button address', (ctaUrl) => {
    expect(firstMessage({ ...titled, ctaUrl })).toContain('http://')
  })

  test.each(['red', 'url(//x)', '#12345', '#1234567', 'rgb(0,0,0)', '', '#fff;color:red'])(
    'takes %j as no color',
    (buttonColor) => {
      expect(firstMessage({ ...titled, buttonColor })).toBe('Please enter a color like #1a2b3c')
    },
  )

  test('keeps delay and radius within their bounds', () => {
    for (const wrong of [-1, 11, 1e9, Number.NaN]) {
      expect(popupForm.safeParse({ ...titled, delay: wrong }).success).toBe(false)
    }
    for (const wrong of [-1, 25, 1.5]) {
      expect(popupForm.safeParse({ ...titled, borderRadius: wrong }).success).toBe(false)
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
      ctaText: 'C',
      collectEmail: false,
    })
    const { accentColor: _, ...rest } = design
    expect(readGeneratedDesign(JSON.stringify({ ...design, position: 'top' }))).toEqual({
      look: { ...rest, backgroundColor: '#ffffff' },
      mended: [],
    })
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
