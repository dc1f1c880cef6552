import { describe, expect, test } from 'vitest'
import { chooseRule } from './choose-rule.ts'
import { unknownFacts } from '#test/visits/unknown-facts.ts'
import type { LinkRules, RuleCondition } from './rules.ts'
import type { RuleFacts } from './reading/visit-reading.ts'

describe('chooseRule', () => {
  const inGermany: RuleCondition = { fact: 'country', is: ['DE'] }
  const onPhone: RuleCondition = { fact: 'device', is: ['mobile'] }
  const rules: LinkRules = [
    { id: 'both', when: [inGermany, onPhone], to: 'https://example.com/both' },
    {
      id: 'app',
      when: [onPhone],
      app: { ios: 'https://example.com/ios', fallback: 'https://example.com/web' },
    },
    {
      id: 'rest',
      else: true,
      split: [
        { id: 'own', to: null, weight: 60 },
        { id: 'b', to: 'https://example.com/b', weight: 40 },
      ],
    },
  ]
  const choose = (facts: Partial<RuleFacts>, of = rules) => {
    const chosen = chooseRule(of, { ...unknownFacts, ...facts }, 0)
    return chosen && [chosen.rule.id, chosen.variant?.id, chosen.to]
  }

  test('takes the first rule of which all conditions hold', () => {
    expect(choose({ country: 'DE', device: 'mobile' })).toEqual([
      'both',
      undefined,
      'https://example.com/both',
    ])
    expect(choose({ country: 'AT', device: 'mobile', system: 'ios' })).toEqual([
      'app',
      undefined,
      'https://example.com/ios',
    ])
    expect(choose({ device: 'mobile', system: 'android' })).toEqual([
      'app',
      undefined,
      'https://example.com/web',
    ])
    expect(choose({ country: 'DE' }, rules.slice(0, 2))).toBeUndefined()
    expect(
      choose({ country: 'DE' }, [{ id: 'x', when: [], to: 'https://example.com/' }]),
    ).toBeUndefined()
  })

  test('splits by the weights, with a share of the split and not of its conditions', () => {
    const shareOf = (share: number) => (key: string) => (key === 'rest/split' ? share : undefined)
    expect(choose({ shareOf: shareOf(0) })).toEqual(['rest', 'own', null])
    expect(choose({ shareOf: shareOf(59.99) })).toEqual(['rest', 'own', null])
    expect(choose({ shareOf: shareOf(60) })).toEqual(['rest', 'b', 'https://example.com/b'])
    expect(choose({ shareOf: shareOf(99.99) })).toEqual(['rest', 'b', 'https://example.com/b'])
    expect(choose({})).toEqual(['rest', 'own', null])
  })
})
