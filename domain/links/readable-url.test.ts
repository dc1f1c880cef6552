import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readableUrl } from './readable-url.ts'

it.each([
  ['https://xn--mnchen-3ya.example/', 'https://münchen.example/'],
  ['https://shop.xn--mnchen-3ya.example:8080/x', 'https://shop.münchen.example:8080/x'],
  ['https://example.com/stra%C3%9Fe?ort=M%C3%BCnchen', 'https://example.com/straße?ort=München'],
  ['https://example.com/%E6%9D%B1%E4%BA%AC', 'https://example.com/東京'],
  ['https://example.com/plain?a=1', 'https://example.com/plain?a=1'],
  // Arabic, Hebrew, Hindi and Thai with their marks, and Japanese with a sign that stays encoded
  [
    'https://ar.example/wiki/%D8%A7%D9%84%D9%82%D9%87%D9%88%D8%A9',
    'https://ar.example/wiki/القهوة',
  ],
  ['https://example.com/%D7%A9%D7%9C', 'https://example.com/של'],
  [
    'https://hi.example/%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80',
    'https://hi.example/हिन्दी',
  ],
  ['https://th.example/%E0%B8%81%E0%B8%B2%E0%B9%81%E0%B8%9F', 'https://th.example/กาแฟ'],
  ['https://example.com/%E6%9D%B1%E4%BA%AC%E2%81%84x', 'https://example.com/東京%E2%81%84x'],
])('a readable address shows %s as %s', (stored, shown) => {
  expect(readableUrl(stored)).toBe(shown)
})

it.each([
  // apple in Cyrillic, whole and with one letter
  'https://xn--80ak6aa92e.com/',
  'https://xn--pple-43d.com/',
  // a dotless i, a dot below, a long s
  new URL('https://g\u0131thub.com/').href,
  new URL('https://\u1ea1pple.com/').href,
  // no punycode at all
  'https://xn--a.com/',
  'https://xn--999999999.com/',
  // a slash, a space, a line end, a bidirectional override, a fraction slash, a filler, a combining mark
  'https://example.com/a%2Fb%20c%0Ad',
  'https://example.com/%E2%80%AEmoc.live',
  'https://example.com%E2%81%84evil',
  'https://example.com/%E2%81%84evil.example',
  'https://example.com/%E3%85%A4',
  'https://example.com/a%CC%88',
  'https://example.com/%FF%FE',
])('a readable address leaves %s as it is stored', (stored) => {
  expect(readableUrl(stored)).toBe(stored)
})

it('a readable address is always the same address', () => {
  const texts = fc.string({ unit: 'grapheme', maxLength: 12 })
  fc.assert(
    fc.property(fc.webUrl(), texts, (url, text) => {
      const stored = new URL(`${url}/${encodeURIComponent(text)}`).href
      expect(new URL(readableUrl(stored)).href).toBe(stored)
    }),
    { numRuns: 3_000 },
  )
})
