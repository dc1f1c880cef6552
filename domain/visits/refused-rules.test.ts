import { describe, expect, test } from 'vitest'
import { dangerousDestinations } from '#test/fixtures/dangerous-destinations.ts'
import { ownHostsOf } from '#domain/links/destinations.ts'
import { parseRules } from './parse-rules.ts'
import { ruleBounds } from './rules.ts'
import { ruleProblemSentence } from './rules-reader.ts'

const to = 'https://example.com/a'
const destination = 'https://example.com/'
const inGermany = { fact: 'country', is: ['DE'] }
const options = { ownHosts: ownHostsOf({ publicUrl: 'https://hoplet.example' }), destination }

function parse(json: unknown) {
  let count = 0
  return parseRules(json, { ...options, newId: () => `id-${++count}` })
}

function sentences(json: unknown): string[] {
  const parsed = parse(json)
  return parsed.ok ? [] : parsed.problems.map(ruleProblemSentence)
}

describe('parseRules', () => {
  const split = (...weights: unknown[]) => [
    { when: [inGermany], split: weights.map((weight) => ({ to, weight })) },
  ]
  const when = (...conditions: unknown[]) => [{ when: conditions, to }]

  test.each<[string, unknown, string]>([
    ['no list', {}, 'Rules are a list'],
    ['a text', [7], 'Rule 1: This is an object with id, when, to, split, app'],
    [
      'a key',
      [{ when: [inGermany], to, x: 1 }],
      'Rule 1: “x” is not possible here: the keys are id, when, to, split, app',
    ],
    ['no condition', [{ when: [], to }], 'Rule 1: A rule needs at least one condition'],
    ['no when', [{ to }], 'Rule 1: A rule needs at least one condition'],
    [
      'no target',
      [{ when: [inGermany] }],
      'Rule 1: A rule leads to exactly one of to, split and app',
    ],
    [
      'two targets',
      [{ when: [inGermany], to, app: {} }],
      'Rule 1: A rule leads to exactly one of to, split and app',
    ],
    [
      'an id of another rule',
      [
        { id: 'a', when: [inGermany], to },
        { id: 'a', when: [inGermany], to },
      ],
      'Rule 2: The id a is there twice',
    ],
    [
      'a strange id',
      [{ id: 'a b', when: [inGermany], to }],
      'Rule 1: An id has 1 to 40 letters, digits, hyphens and underscores',
    ],
    [
      'else in the middle',
      [{ else: true }, { when: [inGermany], to }],
      'Rule 1: The rule for everyone else is the last one',
    ],
    [
      'else with a condition',
      [{ else: true, when: [inGermany], to }],
      'Rule 1: “when” is not possible here: the keys are id, else, split',
    ],
    ['else that is not true', [{ else: false }], 'Rule 1: Else is true'],
    [
      'another first variant',
      [
        {
          else: true,
          split: [
            { to, weight: 50 },
            { to, weight: 50 },
          ],
        },
      ],
      'Rule 1, variant A, destination: The first variant of everyone else is the destination of the link: leave its address out',
    ],
    ['one variant', split(100), 'Rule 1: A split has 2 to 5 variants'],
    ['six variants', split(1, 1, 1, 1, 1, 95), 'Rule 1: A split has 2 to 5 variants'],
    ['weights', split(50, 40), 'Rule 1: The weights of a split add up to 100; these add up to 90'],
    [
      'a weight of 0',
      split(0, 50, 50),
      'Rule 1, variant A: A weight is a whole number from 1 to 99',
    ],
    [
      'half a percent',
      split(0.5, 50, 50),
      'Rule 1, variant A: A weight is a whole number from 1 to 99',
    ],
    [
      'a loop',
      [{ when: [inGermany], to: 'https://hoplet.example/x' }],
      'Rule 1, destination: This URL leads to this server itself. Please enter the address it should end at',
    ],
    [
      'a script',
      [{ when: [inGermany], to: 'javascript:alert(1)' }],
      'Rule 1, destination: Please enter a valid URL starting with http:// or https://',
    ],
    [
      'a loop in a variant',
      [
        {
          when: [inGermany],
          split: [
            { to, weight: 50 },
            { to: 'https://www.hoplet.example/', weight: 50 },
          ],
        },
      ],
      'Rule 1, variant B, destination: This URL leads to this server itself. Please enter the address it should end at',
    ],
    [
      'a custom scheme',
      [{ when: [inGermany], app: { ios: 'myapp://open', fallback: to } }],
      'Rule 1, address for iOS: An app link leads to an https address; custom schemes such as myapp:// are not possible',
    ],
    [
      'no fallback',
      [{ when: [inGermany], app: { ios: to } }],
      'Rule 1, fallback: An address is needed',
    ],
    [
      'an app without a system',
      [{ when: [inGermany], app: { fallback: to } }],
      'Rule 1: An app link has an address for iOS, for Android, or for both',
    ],
    [
      'both lists',
      when({ fact: 'country', is: ['DE'], is_not: ['AT'] }),
      'Rule 1, condition 1: A condition has exactly one of is and is_not',
    ],
    [
      'no values',
      when({ fact: 'country', is: [] }),
      'Rule 1, condition 1: A condition needs a list with at least one value',
    ],
    [
      'a text as list',
      when({ fact: 'country', is: 'DE' }),
      'Rule 1, condition 1: A condition needs a list with at least one value',
    ],
    [
      'a country',
      when(inGermany, { fact: 'country', is: ['UK'] }),
      'Rule 1, condition 2: “UK” is not a country code such as DE or US',
    ],
    [
      'a language',
      when({ fact: 'language', is: ['*'] }),
      'Rule 1, condition 1: “*” is not a language such as de or es-AR',
    ],
    [
      'a system',
      when({ fact: 'system', is: ['ipados'] }),
      'Rule 1, condition 1: “ipados” is not a system: choose from ios, android, windows, macos, linux, chromeos',
    ],
    [
      'a key of Object',
      when({ fact: 'device', is: ['constructor'] }),
      'Rule 1, condition 1: “constructor” is not a device: choose from mobile, tablet, desktop',
    ],
    [
      'a number as text',
      when({ fact: 'city', is: [1] }),
      'Rule 1, condition 1: This value is a text',
    ],
    [
      'an address',
      when({ fact: 'address', is: ['10.0.0.0/33'] }),
      'Rule 1, condition 1: “10.0.0.0/33” is not an address such as 192.0.2.1, 192.0.2.0/24, 192.0.2.* or 2001:db8::/32',
    ],
    [
      'hours',
      when({ fact: 'hours', is: ['9-17'], zone: 'UTC' }),
      'Rule 1, condition 1: “9-17” is not a span of hours such as 09:00-17:00',
    ],
    [
      'empty hours',
      when({ fact: 'hours', is: ['09:00-09:00'], zone: 'UTC' }),
      'Rule 1, condition 1: “09:00-09:00” is not a span of hours such as 09:00-17:00',
    ],
    [
      'no zone',
      when({ fact: 'weekday', is: ['monday'] }),
      'Rule 1, condition 1: A weekday and hours need a time zone such as Europe/Berlin',
    ],
    [
      'a zone',
      when({ fact: 'weekday', is: ['monday'], zone: 'Europe/Bonn' }),
      'Rule 1, condition 1: “Europe/Bonn” is not a time zone such as Europe/Berlin',
    ],
    [
      'a day without offset',
      when({ fact: 'after', is: ['2026-12-24'] }),
      'Rule 1, condition 1: “2026-12-24” is not a date and time with its offset, such as 2026-12-24T18:00:00+01:00',
    ],
    [
      '30 February',
      when({ fact: 'after', is: ['2026-02-30T00:00:00Z'] }),
      'Rule 1, condition 1: “2026-02-30T00:00:00Z” is not a date and time with its offset, such as 2026-12-24T18:00:00+01:00',
    ],
    [
      'two instants',
      when({ fact: 'after', is: ['2026-02-20T00:00:00Z', '2026-02-21T00:00:00Z'] }),
      'Rule 1, condition 1: This condition takes one value',
    ],
    [
      'no parameter',
      when({ fact: 'query', is: ['present'] }),
      'Rule 1, condition 1: A query condition needs the name of a parameter, 1 to 200 characters',
    ],
    [
      'a bare value',
      when({ fact: 'query', is: ['summer'], name: 'q' }),
      'Rule 1, condition 1: “summer” is not possible here: write present, empty, or = and the value, such as =summer',
    ],
    [
      'a share of 100',
      when({ fact: 'share', is: [100] }),
      'Rule 1, condition 1: A share is a whole number of percent from 1 to 99',
    ],
    [
      'a first visit',
      when({ fact: 'first_visit', is: ['yes'] }),
      'Rule 1, condition 1: A first visit is true or false',
    ],
    [
      'a zone where none is needed',
      when({ ...inGermany, zone: 'UTC' }),
      'Rule 1, condition 1: “zone” is not possible here: the keys are fact, is, is_not',
    ],
    [
      'a fact',
      when({ fact: 'moon', is: ['full'] }),
      'Rule 1, condition 1: A condition has one of these facts: country, region, city, language, system, device, browser, in_app, address, weekday, hours, before, after, first_visit, source, query, share',
    ],
  ])('refuses %s with a sentence at its field', (_, json, sentence) => {
    expect(sentences(json)).toEqual([sentence])
  })

  test('lets no rule lead to a dangerous address', () => {
    const accepted = dangerousDestinations.filter((address) =>
      [
        [{ when: [inGermany], to: address }],
        [
          {
            when: [inGermany],
            split: [
              { to, weight: 50 },
              { to: address, weight: 50 },
            ],
          },
        ],
        [{ else: true, split: [{ weight: 50 }, { to: address, weight: 50 }] }],
        [
          {
            else: true,
            split: [
              { to: address, weight: 50 },
              { to, weight: 50 },
            ],
          },
        ],
        [{ when: [inGermany], app: { ios: address, fallback: to } }],
        [{ when: [inGermany], app: { android: address, fallback: to } }],
        [{ when: [inGermany], app: { ios: to, fallback: address } }],
      ].some((rules) => parse(rules).ok),
    )
    expect(accepted).toEqual([])
  })

  test('refuses everything beyond the bounds', () => {
    const repeat = <T>(item: T, count: number) => Array.from({ length: count }, () => item)
    const rule = { when: [inGermany], to }
    expect(sentences(repeat(rule, ruleBounds.rules))).toEqual([])
    expect(sentences(repeat(rule, ruleBounds.rules + 1))).toEqual(['A link has at most 50 rules'])
    expect(sentences(when(...repeat(inGermany, ruleBounds.conditions + 1)))).toEqual([
      'Rule 1: A rule has at most 20 conditions',
    ])
    expect(sentences(when({ fact: 'city', is: repeat('Bonn', ruleBounds.values + 1) }))).toEqual([
      'Rule 1, condition 1: A condition has at most 250 values',
    ])
    expect(sentences([{ ...rule, to: `https://example.com/${'a'.repeat(1_000_000)}` }])).toEqual([
      'The rules of a link have at most 64 KB in total',
    ])
    expect(sentences(when({ fact: 'city', is: ['B'.repeat(201)] }))).toEqual([
      'Rule 1, condition 1: This value has at most 200 characters',
    ])
    expect(sentences(repeat({}, 50))).toHaveLength(20)
  })

  test('counts conditions, values and time zones of all rules together', () => {
    const { allConditions, allValues, conditions, values, zones } = ruleBounds
    const repeat = <T>(count: number, make: (i: number) => T) =>
      Array.from({ length: count }, (_, i) => make(i))
    const fullRule = { when: repeat(conditions, () => inGermany), to }
    const full = repeat(allConditions / conditions, () => fullRule)
    expect(sentences(full)).toEqual([])
    expect(sentences([...full, { when: [inGermany, inGermany], to }, fullRule])).toEqual([
      'Rule 11, condition 1: The rules of a link have at most 200 conditions in total',
    ])

    const cities = (count: number) => ({
      when: [{ fact: 'city', is: repeat(count, (i) => `B${i}`) }],
      to,
    })
    const ofValues = repeat(allValues / values, () => cities(values))
    expect(sentences(ofValues)).toEqual([])
    expect(sentences([...ofValues, cities(1), cities(1)])).toEqual([
      'Rule 9, condition 1: The rules of a link have at most 2000 values in total',
    ])

    const ofZones = Intl.supportedValuesOf('timeZone')
      .slice(0, zones)
      .map((zone) => ({ when: [{ fact: 'weekday', is: ['monday'], zone }], to }))
    const inZone = (zone: string) => ({ when: [{ fact: 'hours', is: ['09:00-17:00'], zone }], to })
    const again = inZone(ofZones[0]?.when[0]?.zone.toUpperCase() ?? '')
    expect(sentences([...ofZones, again])).toEqual([])
    expect(sentences([...ofZones, again, inZone('Europe/Vienna'), inZone('UTC')])).toEqual([
      'Rule 12, condition 1: The rules of a link have at most 10 time zones in total',
    ])
  })
})
