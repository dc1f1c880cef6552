import { describe, expect, test } from 'vitest'
import { explainRule } from './explain-rule.ts'
import { unknownFacts } from '#test/visits/unknown-facts.ts'
import type { ConditionalRule, RuleCondition } from './rules.ts'
import { type RuleFacts, VisitReading } from './reading/visit-reading.ts'

// A Thursday, 18:00 in Berlin.
const now = Date.UTC(2026, 11, 24, 17, 0)

describe('explainRule', () => {
  const why = (condition: RuleCondition, facts: Partial<RuleFacts> = {}) => {
    const rule: ConditionalRule = { id: 'r', when: [condition], to: 'https://example.com/' }
    return explainRule(rule, new VisitReading({ ...unknownFacts, ...facts }, now))?.why
  }

  test.each<[RuleCondition, Partial<RuleFacts>, string | undefined]>([
    [{ fact: 'country', is: ['DE'] }, { country: 'DE' }, undefined],
    [
      { fact: 'country', is: ['DE', 'CH'] },
      { country: 'AT' },
      'The country is AT, and the rule asks for DE or CH.',
    ],
    [
      { fact: 'country', is_not: ['DE'] },
      { country: 'DE' },
      'The country is DE, and the rule excludes DE.',
    ],
    [
      { fact: 'country', is_not: ['DE'] },
      {},
      'The country is not known, so a condition about it does not hold.',
    ],
    [
      { fact: 'country', is: ['AA', 'BB', 'CC', 'DD', 'EE', 'FF'] },
      { country: 'AT' },
      'The country is AT, and the rule asks for AA, BB, CC, DD, EE and 1 more.',
    ],
    [
      { fact: 'language', is: ['es'] },
      { languages: 'de-AT,de;q=0.9,en;q=0.5' },
      'The visitor reads de-at and de, and the rule asks for es.',
    ],
    [
      { fact: 'system', is: ['ios', 'android'] },
      { system: 'macos' },
      'The system is macOS, and the rule asks for iOS or Android.',
    ],
    [
      { fact: 'device', is: ['mobile'] },
      { device: 'desktop' },
      'The device is a computer, and the rule asks for a phone.',
    ],
    [
      { fact: 'in_app', is: ['any'] },
      { inApp: 'none' },
      'The link is not opened in an app, and the rule asks for any app.',
    ],
    [
      { fact: 'in_app', is_not: ['x'] },
      { inApp: 'x' },
      'The link is opened in X (Twitter), and the rule excludes X (Twitter).',
    ],
    [
      { fact: 'weekday', is: ['sunday'], zone: 'Europe/Berlin' },
      {},
      'It is Thursday in Europe/Berlin, and the rule asks for Sunday.',
    ],
    [
      { fact: 'hours', is: ['09:00-17:00'], zone: 'Europe/Berlin' },
      {},
      'It is 18:00 in Europe/Berlin, and the rule asks for 09:00-17:00.',
    ],
    [
      { fact: 'after', is: ['2026-12-25T00:00:00.000Z'] },
      {},
      'It is 2026-12-24T17:00:00.000Z, and the rule asks for a time after 2026-12-25T00:00:00.000Z.',
    ],
    [
      { fact: 'first_visit', is: [true] },
      { firstVisit: false },
      'This is a later visit of the day, and the rule asks for the first one.',
    ],
    [
      { fact: 'source', is: ['qr'] },
      { source: 'link' },
      'The visitor comes from the link, and the rule asks for a QR code.',
    ],
    [
      { fact: 'query', name: 'ref', is: ['present'] },
      { query: '' },
      'The parameter ref is missing, and the rule asks for any value.',
    ],
    [
      { fact: 'query', name: 'ref', is: ['=a', 'empty'] },
      { query: 'ref=b' },
      'The parameter ref is “b”, and the rule asks for “a” or no value.',
    ],
    [
      { fact: 'share', is: [30] },
      { shareOf: () => 45.25 },
      'The visitor drew 45.3 of 100, and the rule asks for less than 30.',
    ],
  ])('says why %j does not hold for %j', (condition, facts, sentence) => {
    expect(why(condition, facts)).toBe(sentence)
  })

  test('names the first condition that fails', () => {
    const when: RuleCondition[] = [
      { fact: 'country', is: ['DE'] },
      { fact: 'system', is: ['ios'] },
      { fact: 'device', is: ['tablet'] },
    ]
    const rule = { id: 'r', when, to: 'https://example.com/' }
    const facts: RuleFacts = { ...unknownFacts, country: 'DE', system: 'android', device: 'mobile' }
    expect(explainRule(rule, new VisitReading(facts, now))?.condition).toBe(1)
  })
})
