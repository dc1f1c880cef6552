import { describe, expect, test } from 'vitest'
import { acceptedLanguages } from './reading/accepted-languages.ts'
import { firstUnmet } from './conditions.ts'
import { unknownFacts } from '#test/visits/unknown-facts.ts'
import type { RuleCondition } from './rules.ts'
import { type RuleFacts, VisitReading } from './reading/visit-reading.ts'

// A Thursday, 18:00 in Berlin.
const now = Date.UTC(2026, 11, 24, 17, 0)

const check = (condition: RuleCondition, facts: Partial<RuleFacts>, at = now) =>
  firstUnmet(
    { id: 'r', when: [condition], to: 'https://example.com/' },
    new VisitReading({ ...unknownFacts, ...facts }, at),
  ) === -1

/** Whether `is` holds; `is_not` must be the opposite of it. */
function isTrue(
  { is, ...rest }: RuleCondition & { is: NonNullable<RuleCondition['is']> },
  facts: Partial<RuleFacts> = {},
  at = now,
): boolean {
  const answer = check({ ...rest, is }, facts, at)
  expect(check({ ...rest, is_not: is }, facts, at)).toBe(!answer)
  return answer
}

test('a condition about a fact of a later release does not hold, and breaks no visit', () => {
  const fact = 'moon' as RuleCondition['fact']
  expect(check({ fact, is: ['full'] }, { country: 'DE' })).toBe(false)
  expect(check({ fact, is_not: ['full'] }, { country: 'DE' })).toBe(false)
  expect(check({ fact: 'country', is: ['DE'] }, { country: 'DE' }), 'control').toBe(true)
})

describe('a condition', () => {
  test.each([
    ['country', 'DE'],
    ['region', 'Bavaria'],
    ['city', 'Berlin'],
    ['language', 'de'],
    ['system', 'ios'],
    ['device', 'mobile'],
    ['browser', 'safari'],
    ['in_app', 'any'],
    ['address', '10.0.0.1'],
    ['first_visit', true],
    ['source', 'qr'],
    ['query', 'present'],
    ['share', 30],
  ] as const)('about an unknown %s is false, with is_not too', (fact, value) => {
    const extra = fact === 'query' ? { name: 'a' } : {}
    expect(check({ fact, is: [value], ...extra }, {})).toBe(false)
    expect(check({ fact, is_not: [value], ...extra }, {})).toBe(false)
    if (fact === 'query' || fact === 'share' || fact === 'first_visit') return
    expect(
      check(
        { fact, is_not: [value] },
        { country: '', region: '', city: '', address: '', languages: '' },
      ),
    ).toBe(false)
  })

  test('compares countries and names of places', () => {
    expect(isTrue({ fact: 'country', is: ['AT', 'DE'] }, { country: 'DE' })).toBe(true)
    expect(isTrue({ fact: 'country', is: ['AT'] }, { country: 'DE' })).toBe(false)
    expect(isTrue({ fact: 'city', is: ['los angeles'] }, { city: 'Los Angeles' })).toBe(true)
    expect(isTrue({ fact: 'region', is: ['Île-de-France'] }, { region: 'île-de-France' })).toBe(
      true,
    )
  })

  test.each([
    ['en', 'en', true],
    ['es, en,fr', 'en', true],
    ['es, en-US,fr', 'EN', true],
    ['es_ES', 'es-ES', true],
    ['en-US,es-ES;q=0.6', 'es-ES', false],
    ['en-US,es-ES;q=0.9', 'es-ES', true],
    ['en-US,es-ES; q=0.89', 'es-ES', false],
    ['fr', 'fr-FR', false],
    ['es-AR', 'es', true],
    ['est', 'es', false],
    ['zh-Hant-TW', 'zh-Hant', true],
  ])('reads the language of %s: %s is %s', (languages, language, answer) => {
    expect(isTrue({ fact: 'language', is: [language] }, { languages })).toBe(answer)
  })

  test.each(['', '*', 'de;q=0.5', '*;q=1, de;q=0.8', 'de;q=x', ';;,,', '<script>'])(
    'knows no language of %j',
    (languages) => {
      expect(acceptedLanguages(languages).tags).toEqual([])
      expect(check({ fact: 'language', is_not: ['fr'] }, { languages })).toBe(false)
    },
  )

  test('knows that an ordinary browser is in no app', () => {
    expect(isTrue({ fact: 'in_app', is: ['any'] }, { inApp: 'none' })).toBe(false)
    expect(isTrue({ fact: 'in_app', is: ['any'] }, { inApp: 'other' })).toBe(true)
    expect(isTrue({ fact: 'in_app', is: ['instagram'] }, { inApp: 'tiktok' })).toBe(false)
  })

  test.each([
    ['192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['192.0.2.1', '::FFFF:c000:201', true],
    ['192.0.2.1', '192.0.2.0/24', true],
    ['192.0.2.1', '192.0.2.9/24', true],
    ['192.0.3.1', '192.0.2.0/24', false],
    ['192.0.2.1', '0.0.0.0/0', true],
    ['192.0.2.1', '::/0', false],
    ['192.0.2.1', '::ffff:0:0/96', true],
    ['192.0.2.129', '192.0.2.128/25', true],
    ['192.0.2.127', '192.0.2.128/25', false],
    ['10.1.0.7', '10.*.0.7', true],
    ['10.1.1.7', '10.*.0.7', false],
    ['10.1.1.7', '10.*', true],
    ['2001:db8::1', '2001:0DB8:0::1', true],
    ['2001:db8::1', '2001:db8::/32', true],
    ['2001:db9::1', '2001:db8::/32', false],
    ['2001:db8:5::1', '2001:db8:*', true],
    ['2001:db8::1', '*', false],
    ['2001:db8::1', '0.0.0.0/0', false],
    ['2001:db8::c000:201', '192.0.2.1', false],
  ])('finds %s in %s: %s', (address, range, answer) => {
    expect(isTrue({ fact: 'address', is: [range] }, { address })).toBe(answer)
  })

  test('reads the clock of its time zone', () => {
    const berlin = 'Europe/Berlin'
    const hours = (span: string, at: number, zone = berlin) =>
      isTrue({ fact: 'hours', is: [span], zone }, {}, at)
    expect(hours('18:00-19:00', now)).toBe(true)
    expect(hours('17:00-18:00', now)).toBe(false)
    expect(hours('17:00-18:00', now - 1)).toBe(true)
    expect(hours('17:00-24:00', now)).toBe(true)
    expect(hours('22:00-06:00', Date.UTC(2026, 11, 24, 4, 59))).toBe(true)
    expect(hours('22:00-06:00', Date.UTC(2026, 11, 24, 5, 0))).toBe(false)
    expect(hours('22:30-23:00', now, 'Asia/Kolkata')).toBe(true)
    const day = (weekday: string, zone: string) =>
      isTrue({ fact: 'weekday', is: [weekday], zone }, {}, now)
    expect(day('thursday', berlin)).toBe(true)
    expect(day('friday', 'Pacific/Auckland')).toBe(true)
    expect(check({ fact: 'weekday', is_not: ['monday'], zone: 'Europe/Bonn' }, {})).toBe(false)
  })

  test('follows the clock over the change to summer time', () => {
    const night = { fact: 'hours', is: ['02:00-03:00'], zone: 'Europe/Berlin' } as const
    // 02:30 does not exist on 28 March 2027, and exists twice on 31 October.
    const minutes = (from: number) =>
      Array.from({ length: 180 }, (_, i) => from + i * 60_000).filter((at) => isTrue(night, {}, at))
    expect(minutes(Date.UTC(2027, 2, 28, 0, 0))).toHaveLength(0)
    expect(minutes(Date.UTC(2027, 9, 31, 0, 0))).toHaveLength(120)
  })

  test('is neither before nor after its own instant', () => {
    const is = [new Date(now).toISOString()]
    expect([-1, 0, 1].map((ms) => isTrue({ fact: 'before', is }, {}, now + ms))).toEqual([
      true,
      false,
      false,
    ])
    expect([-1, 0, 1].map((ms) => isTrue({ fact: 'after', is }, {}, now + ms))).toEqual([
      false,
      false,
      true,
    ])
  })

  test.each([
    ['', 'present', false],
    ['a', 'present', true],
    ['a=', 'present', true],
    ['a=1', 'present', true],
    ['a', 'empty', true],
    ['a=1', 'empty', false],
    ['', 'empty', false],
    ['a=x+y%21', '=x y!', true],
    ['a=X', '=x', false],
    ['a=1&a=2', '=2', true],
    ['%61=1', '=1', true],
    ['?a=1', 'present', false],
    ['a', '=', true],
    ['a=%zz', '=%zz', true],
  ])('reads the query %j: %s is %s', (query, value, answer) => {
    expect(isTrue({ fact: 'query', name: 'a', is: [value] }, { query })).toBe(answer)
  })

  test('takes the share of its rule', () => {
    const shareOf = (key: string) => (key === 'r' ? 29.9 : 99)
    expect(isTrue({ fact: 'share', is: [30] }, { shareOf })).toBe(true)
    expect(isTrue({ fact: 'share', is: [29] }, { shareOf })).toBe(false)
  })
})
