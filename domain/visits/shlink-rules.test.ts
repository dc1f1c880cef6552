import { describe, expect, test } from 'vitest'
import { parseRules } from './parse-rules.ts'
import { convertShlinkRules, type ShlinkCondition } from './shlink-rules.ts'

const longUrl = 'https://example.com/'

describe('a redirect condition of Shlink', () => {
  test.each<[ShlinkCondition, object]>([
    [
      { type: 'device', matchValue: 'ios' },
      { fact: 'system', is: ['ios'] },
    ],
    [
      { type: 'device', matchValue: 'mobile' },
      { fact: 'system', is: ['ios', 'android'] },
    ],
    [
      { type: 'device', matchValue: 'desktop' },
      { fact: 'system', is: ['windows', 'macos', 'linux', 'chromeos'] },
    ],
    [
      { type: 'language', matchValue: 'es_AR' },
      { fact: 'language', is: ['es-AR'] },
    ],
    [
      { type: 'language', matchValue: 'zh-Hant-TW' },
      { fact: 'language', is: ['zh-Hant'] },
    ],
    [
      { type: 'query-param', matchKey: 'foo', matchValue: 'bar' },
      { fact: 'query', name: 'foo', is: ['=bar'] },
    ],
    [
      { type: 'any-value-query-param', matchKey: 'foo', matchValue: null },
      { fact: 'query', name: 'foo', is: ['present'] },
    ],
    [
      { type: 'valueless-query-param', matchKey: 'foo' },
      { fact: 'query', name: 'foo', is: ['empty', '=0'] },
    ],
    [
      { type: 'ip-address', matchValue: '11.22.*.*' },
      { fact: 'address', is: ['11.22.*.*'] },
    ],
    [
      { type: 'ip-address', matchValue: '10.0.0.0/8' },
      { fact: 'address', is: ['10.0.0.0/8'] },
    ],
    [
      { type: 'geolocation-country-code', matchValue: 'us' },
      { fact: 'country', is: ['US'] },
    ],
    [
      { type: 'geolocation-city-name', matchValue: 'Madrid' },
      { fact: 'city', is: ['Madrid'] },
    ],
    [
      { type: 'before-date', matchValue: '2026-12-24T18:00:00+01:00' },
      { fact: 'before', is: ['2026-12-24T17:00:00.000Z'] },
    ],
    [
      { type: 'after-date', matchValue: '2026-12-24 18:00:00' },
      { fact: 'after', is: ['2026-12-24T18:00:00.000Z'] },
    ],
    [
      { type: 'browser', matchValue: 'android_browser' },
      { fact: 'browser', is: ['android_browser'] },
    ],
  ])('%j becomes %j', (condition, expected) => {
    const { rules, notices } = convertShlinkRules([{ longUrl, conditions: [condition] }])
    const parsed = parseRules(rules, { ownHosts: [], destination: longUrl, newId: () => 'a' })
    expect(notices).toEqual([])
    expect(parsed).toEqual({ ok: true, rules: [{ id: 'a', when: [expected], to: longUrl }] })
  })

  test.each<ShlinkCondition>([
    { type: 'language', matchValue: '*' },
    { type: 'device', matchValue: 'fridge' },
    { type: 'moon', matchValue: 'full' },
    { type: 'browser', matchValue: 'constructor' },
  ])('%j matches no visit, and its rule is left out with a notice', (condition) => {
    const { rules, notices } = convertShlinkRules([{ longUrl, conditions: [condition] }])
    expect(rules).toEqual([])
    expect(notices).toEqual([
      `Rule 1, to https://example.com/, has the condition ${condition.type} with “${condition.matchValue}”, which matches no visit. It is left out.`,
    ])
  })
})

test('rules of Shlink keep their order, and those without conditions are left out with a notice', () => {
  const conditions = [{ type: 'device', matchValue: 'ios' }]
  const { rules, notices } = convertShlinkRules([
    { longUrl: 'https://example.com/3', priority: 3, conditions },
    { longUrl: 'https://example.com/1', priority: 1, conditions: [] },
    { longUrl: 'https://example.com/2', priority: 2, conditions: [...conditions, ...conditions] },
  ])
  expect(rules.map(({ to, when }) => [to, when.length])).toEqual([
    ['https://example.com/2', 2],
    ['https://example.com/3', 1],
  ])
  expect(notices).toEqual([
    'Rule 1, to https://example.com/1, has no conditions. It never matched in Shlink, and is left out.',
  ])
})
