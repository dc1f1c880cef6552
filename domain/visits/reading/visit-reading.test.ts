import { expect, onTestFinished, test, vi } from 'vitest'
import { unknownFacts } from '#test/visits/unknown-facts.ts'
import { chooseRule } from '#domain/visits/choose-rule.ts'
import { type LinkRule, ruleBounds, type RuleCondition } from '#domain/visits/rules.ts'
import type { RuleFacts } from './visit-reading.ts'

// The cost of a visit to a link with many conditions, as the number of expensive steps.

const { allConditions, conditions } = ruleBounds

/** Rules of which every condition but the last of each holds: a visit asks all of them. */
function rulesOf(condition: RuleCondition, count = allConditions): LinkRule[] {
  return Array.from({ length: count / conditions }, (_, i) => ({
    id: `r${i}`,
    when: [
      ...Array.from({ length: conditions - 1 }, () => condition),
      { fact: 'device', is: ['tablet'] },
    ],
    to: 'https://example.com/a',
  }))
}

/** Notes the arguments of each `new` of a class until the test ends. */
function noteMade<Name extends string>(
  owner: Record<Name, new (...of: never) => object>,
  name: Name,
) {
  const made: unknown[][] = []
  const original = owner[name]
  owner[name] = new Proxy(original, {
    construct(target, given: never) {
      made.push(given)
      return Reflect.construct(target, given)
    },
  })
  onTestFinished(() => void (owner[name] = original))
  return made
}

test.each<[keyof RuleFacts, RuleCondition, string]>([
  ['languages', { fact: 'language', is_not: ['fr'] }, 'de'],
  ['address', { fact: 'address', is_not: ['10.*'] }, '192.0.2.1'],
  ['region', { fact: 'region', is_not: ['Bavaria'] }, 'Saxony'],
  ['city', { fact: 'city', is_not: ['Berlin'] }, 'Leipzig'],
  ['source', { fact: 'source', is_not: ['qr'] }, 'link'],
  ['query', { fact: 'query', name: 'b', is_not: ['present'] }, 'a=1'],
])('the fact %s is read once for all conditions', (fact, condition, value) => {
  const read = vi.fn(() => value)
  const facts = Object.defineProperty({ ...unknownFacts, device: 'mobile' as const }, fact, {
    get: read,
  })
  expect(chooseRule(rulesOf(condition), facts, 0)).toBeUndefined()
  expect(read).toHaveBeenCalledTimes(1)
})

test('a query is parsed once, and no more of it than a hundred parameters', () => {
  const parsed = noteMade(globalThis, 'URLSearchParams')
  const rules = rulesOf({ fact: 'query', name: 'a', is_not: ['=2'] })
  const visitTo = (query: string) =>
    chooseRule(rules, { ...unknownFacts, device: 'tablet', query }, 0)?.rule.id
  expect(visitTo('a=1')).toBe('r0')
  expect(visitTo('a=1&a=2')).toBeUndefined()
  expect(parsed).toEqual([['?a=1'], ['?a=1&a=2']])
  expect(visitTo(`${'b&'.repeat(98)}a=1&a=2`)).toBeUndefined()
  expect(visitTo(`${'b&'.repeat(98)}a=1&b&a=2`)).toBe('r0')
  expect(visitTo(`a=1&${'b'.repeat(2_030)}&a=2&a=2`)).toBeUndefined()
  expect(visitTo(`a=1&${'b'.repeat(2_044)}&a=2`)).toBe('r0')
  expect(visitTo(`a=${'b'.repeat(20_000)}&a=2`)).toBe('r0')
  expect(parsed.every(([text]) => String(text).length <= 2_049)).toBe(true)
})

test('the formatter of a time zone is made once, however many zones a link names', () => {
  const zones = Intl.supportedValuesOf('timeZone').slice(0, 300)
  const rules: LinkRule[] = zones.map((zone, i) => ({
    id: `r${i}`,
    when: [{ fact: 'hours', is_not: ['00:00-24:00'], zone }],
    to: 'https://example.com/a',
  }))
  const made = noteMade(Intl, 'DateTimeFormat')
  // Other files of this process may have made some of them.
  chooseRule(rules, unknownFacts, 0)
  const before = made.length
  expect(before).toBeLessThanOrEqual(zones.length)
  chooseRule(structuredClone(rules), unknownFacts, 90_000)
  const upperCase = rules.map((rule) => ({
    ...rule,
    when: [{ fact: 'weekday', is: ['monday'], zone: zones[7]?.toUpperCase() ?? '' } as const],
  }))
  chooseRule(upperCase, unknownFacts, 90_000)
  expect(made).toHaveLength(before)
})

test('a rule asks for one share, and its split for another', () => {
  const shareOf = vi.fn(() => 50)
  const rules = rulesOf({ fact: 'share', is: [60] })
  chooseRule(rules, { ...unknownFacts, device: 'mobile', shareOf }, 0)
  expect(shareOf).toHaveBeenCalledTimes(rules.length)
})
