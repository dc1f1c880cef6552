import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalAgent, onlyClaimsBrowser } from './agents.ts'

const word = fc.stringMatching(/^[!-~]{1,20}$/)
const blank = fc.stringMatching(/^[ \t]{1,5}$/)

describe('an agent', () => {
  it('is one text in all spellings', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, blank), { maxLength: 60 }), blank, (parts, around) => {
        const plain = parts.map(([text]) => text).join(' ')
        const canonical = canonicalAgent(plain)
        expect(canonical).toBe(plain.slice(0, 512).trimEnd())
        // Blanks beyond the part that is read may hide words of a longer header.
        fc.pre(plain.length <= 512 && parts.flat().join('').length + around.length < 1_024)
        expect(canonicalAgent(around + parts.flat().join('') + around)).toBe(canonical)
        expect(canonicalAgent(canonical)).toBe(canonical)
      }),
    )
  })

  it('is printable ASCII of at most 512 characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 2_000 }), (header) => {
        expect(canonicalAgent(header)).toMatch(/^[ -~]{0,512}$/)
      }),
    )
  })
})

describe('an agent that only claims to be like a browser', () => {
  const safari = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  it.each([
    'Mozilla/5.0 (compatible; Acme)',
    'Mozilla/5.0 (compatible; Acme Reader 3)',
    'Mozilla/5.0 (compatible; Acme Reader; Linux)',
    'Mozilla/5.0 (Compatible;Acme Reader)',
    'Mozilla/4.0 ( compatible ; Acme ; en)',
    `Mozilla/5.0 ${safari.replace(')', '; compatible; Acme/1.0)')} Chrome/120.0 Safari/537.36`,
    'Acme Reader (compatible; Mozilla/5.0)',
    'Mozilla/5.0 Acme Reader',
    'Mozilla/5.0 (Acme Reader; 3)',
  ])('is %s', (agent) => {
    expect(onlyClaimsBrowser(agent)).toBe(true)
  })

  it.each([
    `Mozilla/5.0 (X11; Linux x86_64) ${safari} Chrome/140.0.0.0 Safari/537.36`,
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    'Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)',
    'Mozilla/5.0 (compatible; MSIE 9.0; Windows Phone OS 7.5; Trident/5.0; IEMobile/9.0)',
    'Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4 (like Gecko)',
    `Mozilla/5.0 (Linux; Android 10; K; compatible; Acme/1.0) ${safari} Chrome/126.0 Mobile Safari/537.36`,
    `Mozilla/5.0 (PlayStation 4 3.11) ${safari}`,
    `Mozilla/5.0 (Web0S; SmartTV) ${safari} Chrome/94.0 Safari/537.36`,
    'Opera/9.80 (Windows NT 6.1) Presto/2.12.388 Version/12.18',
  ])('is not %s', (agent) => {
    expect(onlyClaimsBrowser(agent)).toBe(false)
  })
})
