import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mendedTarget } from './mended-target.ts'

const code = fc.stringMatching(/^[A-Za-z0-9_-]{3,50}$/)

/** Characters and words that texts add behind a link. */
const behind = [
  ...Array.from('.,);:!]>*"\'”»’…|}~^`=$<'),
  '%',
  '%20',
  '%22',
  '%29.',
  '%E2%80%8B',
  '%EF%BB%BF',
  '%C2%A0',
  '%C2%AD',
  '%E2%80%8F',
  '%E2%80%9D',
  '%E2%80',
  '%94',
  '%0A',
  '%00',
  '%2F',
  '%2520',
  '。',
  '，见',
  '」',
  'を見て',
  '에서',
  '👍',
  '²',
  ').',
  '),',
  ')see',
  '),%20see/also',
  "'den",
  '//',
  '/.',
  '/)',
  '.Then',
].map((text) => encodeRaw(text))

/** Some clients send the bytes as they are. */
const bytesOf = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
const asBytes = ['”', '…', '。', '\u200b'].map(bytesOf)

const ahead = ['//', '///', '/%20', '/%E2%80%8B', '/%22', '/(', '/@', '/\\']

function encodeRaw(text: string): string {
  return text.replace(/[^ -~]/gu, (character) => encodeURIComponent(character))
}

describe('the target that was meant', () => {
  it('is the code, with any text behind it or before it', () => {
    fc.assert(
      fc.property(code, fc.constantFrom(...behind, ...asBytes), (name, text) => {
        expect([text, mendedTarget(`/${name}${text}`)]).toEqual([text, `/${name}`])
      }),
    )
    fc.assert(
      fc.property(code, fc.constantFrom(...ahead), (name, text) => {
        expect([text, mendedTarget(`${text}${name}`)]).toEqual([text, `/${name}`])
      }),
    )
  })

  it.each([
    ['/me%C2%ADnu', '/menu'],
    ['/%E2%80%AAmenu%E2%80%AC', '/menu'],
    ['/menu)?utm_source=x', '/menu?utm_source=x'],
    ['/menu&utm_source=x&a=b', '/menu?utm_source=x&a=b'],
    ['/menu&amp;utm_source=x?a=b', '/menu?utm_source=x&a=b'],
    ['/menu%26utm_source%3Dx', '/menu?utm_source=x'],
    ['/menu%3Futm_source=caf%C3%A9', '/menu?utm_source=caf%C3%A9'],
    ['/menu%3F', '/menu'],
    ['/Q/MENU).', '/Q/MENU'],
    ['//q/menu/t4%20', '/q/menu/t4'],
    ['/q/menu/t4,?a=b', '/q/menu/t4?a=b'],
    ['/Q/MENU+)', '/Q/MENU+'],
    ['/menu+)', '/menu+'],
    ['/menu%2B.', '/menu+'],
    ['/menu+and+more', '/menu'],
    [
      '/maya/go/5a0f8f0e-0000-4000-8000-00000000000a).',
      '/maya/go/5a0f8f0e-0000-4000-8000-00000000000a',
    ],
  ])('of %s is %s', (url, target) => {
    expect(mendedTarget(url)).toBe(target)
  })

  it.each([
    '/',
    '//',
    '/menu',
    '/menu/below',
    '/q/menu/t4/below',
    '/q/menu/x',
    '/q/)',
    '//menu/below',
    '/menu%2Fbelow',
    '/index.php',
    '/apple-touch-icon-precomposed.png',
    '/.env',
    '/.git/config',
    '/ab)',
    '/caf%C3%A9',
    '/menu%D0%B8',
    '/~menu',
    '*',
  ])('is not looked for in %s', (url) => {
    expect(mendedTarget(url)).toBeUndefined()
  })

  it('is not looked for in a longer text', () => {
    expect(mendedTarget(`/${'x'.repeat(50)})`)).toBe(`/${'x'.repeat(50)}`)
    expect(mendedTarget(`/${'x'.repeat(51)})`)).toBeUndefined()
    expect(mendedTarget(`/menu${')'.repeat(8_192)}`)).toBeUndefined()
  })
})
