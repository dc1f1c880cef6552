import { describe, expect, it } from 'vitest'
import { type Utm, utmNames, utmOf, withUtm } from '#web/features/links/options/utm.ts'

const none: Utm = {
  utm_source: '',
  utm_medium: '',
  utm_campaign: '',
  utm_term: '',
  utm_content: '',
}

describe('the UTM parameters of an address', () => {
  it.each([
    ['https://a.example/', {}],
    ['https://a.example/?utm_source=news&x=1', { utm_source: 'news' }],
    ['https://a.example/?utm_campaign=a+b%20c#utm_term=no', { utm_campaign: 'a b c' }],
    ['https://a.example/?%75tm_medium=m&utm_medium=other', { utm_medium: 'm' }],
    ['https://a.example/?utm_term&utm_content=100%', { utm_content: '100%' }],
    ['not an address', {}],
  ])('%s is split into its fields', (address, utm) => {
    expect(utmOf(address)).toEqual({ ...none, ...utm })
  })

  it.each<[string, Partial<Utm>, string]>([
    ['https://a.example', { utm_source: 'news' }, 'https://a.example?utm_source=news'],
    ['https://a.example/?', { utm_source: 'x' }, 'https://a.example/?utm_source=x'],
    [
      'https://a.example/?utm_source=a&b=%C3%A4+1#top',
      { utm_source: 'ü&=#', utm_term: 't' },
      'https://a.example/?utm_source=%C3%BC%26%3D%23&b=%C3%A4+1&utm_term=t#top',
    ],
    ['https://a.example/?x&utm_source=a&utm_source=b', { utm_source: '' }, 'https://a.example/?x'],
    ['https://a.example/?utm_source=a#f', { utm_source: '' }, 'https://a.example/#f'],
  ])('%s with %j is %s', (address, change, result) => {
    expect(withUtm(address, change)).toBe(result)
  })

  it('written fields read back, and everything else stays, for 2,000 generated addresses', () => {
    let seed = 1
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    const words = ['', 'a', 'ü', 'a b', '100%', '&', '=', '#', '?', '+', 'a=b', '\u{1F98A}']
    const queries = ['', '?', '?x=1', '?x=1&&y', '?utm_source=1&x', '?utm_term', '?%', '?x=%zz&y=+']
    for (let n = 0; n < 2_000; n++) {
      const fragment = ['', '#', '#a?utm_source=b'][random(3)] ?? ''
      const address = `https://a.example/p${queries[random(queries.length)]}${fragment}`
      const utm = { ...none }
      for (const name of utmNames) utm[name] = words[random(words.length)] ?? ''
      const written = withUtm(address, utm)
      expect(utmOf(written), written).toEqual(utm)
      expect(withUtm(written, none), address).toBe(withUtm(address, none))
      expect(withUtm(address, {})).toBe(address)
      expect(URL.canParse(written)).toBe(true)
    }
  })
})
