import { domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DomainHostProblem, readDomainHost } from './domain-host.ts'
import { unicodeHost } from './unicode-host.ts'

const label63 = 'a'.repeat(63)

/** Typed texts, and the stored host. */
const normalized: Record<string, string> = {
  'go.example.com': 'go.example.com',
  'GO.Example.COM': 'go.example.com',
  '  go.example.com  ': 'go.example.com',
  'go.example.com.': 'go.example.com',
  'bücher.example': 'xn--bcher-kva.example',
  'BÜCHER.example': 'xn--bcher-kva.example',
  'xn--bcher-kva.example': 'xn--bcher-kva.example',
  'ｇｏ.example': 'go.example',
  'go。example': 'go.example',
  'straße.example': 'xn--strae-oqa.example',
  'пример.рф': 'xn--e1afmkfd.xn--p1ai',
  'пример.example': 'xn--e1afmkfd.example',
  'ελλάδα.example': 'xn--hxakic4aa.example',
  '日本ラーメンabc.example': new URL('http://日本ラーメンabc.example').hostname,
  '한국.example': new URL('http://한국.example').hostname,
  'сор.ru': new URL('http://сор.ru').hostname,
  '1.example': '1.example',
  '4711.example.com': '4711.example.com',
  [`${label63}.example`]: `${label63}.example`,
}

const refused: Record<string, DomainHostProblem> = {
  '': 'empty',
  '   ': 'empty',
  'https://go.example.com': 'url',
  'http://go.example.com/': 'url',
  'go.example.com/path': 'url',
  'go.example.com?x=1': 'url',
  'go.example.com#x': 'url',
  'user@go.example.com': 'url',
  'go.example.com\\x': 'url',
  'go.example.com:443': 'port',
  'go.example.com:': 'port',
  '127.0.0.1': 'address',
  '8.8.8.8': 'address',
  '0x7f.1': 'address',
  '2130706433': 'address',
  '[::1]': 'address',
  '::1': 'address',
  '2001:db8::1': 'address',
  '*.example.com': 'wildcard',
  'go.*.example.com': 'wildcard',
  '_dmarc.example.com': 'underscore',
  'my_links.example.com': 'underscore',
  localhost: 'single-label',
  intranet: 'single-label',
  com: 'single-label',
  'go.localhost': 'reserved',
  'go.invalid': 'reserved',
  'abc.onion': 'reserved',
  '1.in-addr.arpa': 'reserved',
  'go..example.com': 'syntax',
  '.example.com': 'syntax',
  'go.example.com..': 'syntax',
  '-go.example.com': 'syntax',
  'go-.example.com': 'syntax',
  'xn--999999999.example': 'syntax',
  'go example.com': 'characters',
  'go.exam\u200Bple.com': 'characters',
  'go.exam\u0000ple.com': 'characters',
  'go.%65xample.com': 'characters',
  'i❤.example': 'characters',
  "o'brien.example": 'syntax',
  [`${label63}a.example`]: 'length',
  [`${`${'a'.repeat(60)}.`.repeat(4)}example.com`]: 'length',
  [`${'x'.repeat(2_000)}.example`]: 'length',
  // One Cyrillic а, one Greek ο, one Armenian օ among Latin letters.
  'pаypal.com': 'mixed-scripts',
  'gοogle.com': 'mixed-scripts',
  'gօogle.com': 'mixed-scripts',
  'xn--pypal-4ve.com': 'mixed-scripts',
  // Cyrillic letters alone.
  'аррӏе.com': 'look-alike',
  'xn--80ak6aa92e.com': 'look-alike',
  'сор.com': 'look-alike',
  'τοι.com': 'look-alike',
}

describe('a host of a domain', () => {
  it.each(Object.entries(normalized))('%j is stored as %s', (typed, host) => {
    expect(readDomainHost(typed)).toEqual({ ok: true, host })
  })

  it.each(Object.entries(refused))('%j is refused as %s', (typed, reason) => {
    expect(readDomainHost(typed)).toEqual({ ok: false, reason })
  })

  it('its stored form is read again as itself', () => {
    const typed = fc.oneof(fc.domain(), fc.string(), fc.string({ unit: 'grapheme' }))
    fc.assert(
      fc.property(typed, (text) => {
        const check = readDomainHost(text)
        if (check.ok) expect(readDomainHost(check.host)).toEqual(check)
      }),
    )
  })
})

it('the Unicode form of a host is that of Node', () => {
  const letters = fc.constantFrom(...Array.from('abcxyz0189üßéжяλ日本語한글العربيةไทยאב'))
  const label = fc.string({ unit: letters, minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(label, (text) => {
      const url = `http://${text}.example`
      if (!URL.canParse(url)) return
      const { hostname } = new URL(url)
      expect(unicodeHost(hostname)).toBe(domainToUnicode(hostname))
    }),
  )
  expect(unicodeHost('xn--bcher-kva.example')).toBe('bücher.example')
  expect(unicodeHost('xn--.example')).toBe('xn--.example')
  expect(unicodeHost('xn--\u0080\u0080.example')).toBe('xn--\u0080\u0080.example')
})
