import { ruleBounds } from '#domain/visits/rules.ts'

/** Headers of a visit number `n`, and its query. */
export interface CostlyRequest {
  query?: (n: number) => string
  headers?: (n: number) => Record<string, string>
}

/** Rules that ask all that they may about one fact, and lead nobody anywhere: the last condition of each does not hold. */
export interface CostlyRules extends CostlyRequest {
  name: string
  rules: unknown[]
}

const { allConditions, allValues, conditions, rules: maxRules, zones: maxZones } = ruleBounds
const to = 'https://example.com/elsewhere'
const list = <T>(count: number, make: (i: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const valuesEach = allValues / allConditions

type Written = Record<string, unknown>

/** @param make a condition that holds, and one that does not */
function full(
  make: (place: number, holds: boolean) => Written,
  each: number = conditions,
): unknown[] {
  return list(allConditions / each, (rule) => ({
    when: list(each, (i) => make(rule * each + i, i < each - 1)),
    to,
  }))
}

/** All conditions list other values than the visitor's: `is_not` holds then, `is` does not. */
const listing = (
  fact: string,
  valueOf: (i: number) => unknown,
  more: (place: number) => Written = () => ({}),
) =>
  full((place, holds) => ({
    fact,
    [holds ? 'is_not' : 'is']: [
      ...new Set(list(valuesEach, (i) => valueOf(place * valuesEach + i))),
    ],
    ...more(place),
  }))

const zones = Intl.supportedValuesOf('timeZone').slice(0, maxZones)
const zoneAt = (place: number) => ({ zone: zones[place % zones.length] })
const clock = (minute: number) =>
  [Math.floor(minute / 60) % 24, minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
const letters = (i: number) => String.fromCharCode(97 + (i % 26), 97 + ((i / 26) % 26))
const hex = (n: number) => (n % 65_536).toString(16)
const agent = (n: number) =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.${n} Safari/537.36`
const otherAgents = { headers: (n: number) => ({ 'user-agent': agent(n) }) }
/** A hundred parameters in escapes, of which many are the one that conditions ask for. */
const longQuery = (n: number) =>
  list(100, (i) => `%61${i % 5 === 0 ? '' : hex(i)}=%62${hex(n * 7 + i)}`).join('&')

export const costlyRules: CostlyRules[] = [
  {
    name: 'country',
    rules: listing(
      'country',
      (i) => ['AD', 'AE', 'AF', 'AG', 'AI', 'AL', 'AM', 'AO', 'AQ', 'AR'][i % 10],
    ),
    headers: (n) => ({ 'x-forwarded-for': `8.8.${n % 256}.${(n >> 8) % 256}` }),
  },
  {
    name: 'language',
    rules: listing('language', (i) => `${letters(i)}-${letters(i)}-${letters(i + 7)}-zz`),
    headers: (n) => ({
      'accept-language': list(
        30,
        (i) => `${letters(n + i)}-${letters(n * 3 + i)}-${letters(i)}-yy`,
      ).join(','),
    }),
  },
  { name: 'system', rules: listing('system', (i) => ['ios', 'chromeos'][i % 2]), ...otherAgents },
  { name: 'device', rules: listing('device', (i) => ['mobile', 'tablet'][i % 2]), ...otherAgents },
  {
    name: 'browser',
    rules: listing('browser', (i) => ['safari', 'uc', 'edge'][i % 3]),
    ...otherAgents,
  },
  {
    name: 'in_app',
    rules: listing('in_app', (i) => ['x', 'line', 'google'][i % 3]),
    ...otherAgents,
  },
  {
    name: 'address',
    rules: listing('address', (i) => `2001:db8:0:1:2:3:4:${hex(i)}`),
    headers: (n) => ({ 'x-forwarded-for': `2001:db8:0:1:2:3:5:${hex(n)}` }),
  },
  { name: 'weekday', rules: listing('weekday', (i) => ['monday', 'sunday'][i % 2], zoneAt) },
  {
    name: 'hours',
    // Most of them are not now, and the others are in a list that holds.
    rules: full((place, holds) => ({
      fact: 'hours',
      [holds ? 'is' : 'is_not']: [
        ...list(valuesEach - 1, (i) => `${clock(place + i)}-${clock(place + i + 1)}`),
        '00:00-24:00',
      ],
      ...zoneAt(place),
    })),
  },
  {
    name: 'before and after',
    rules: full((place, holds) => ({
      fact: (place % 2 === 0) === holds ? 'before' : 'after',
      is: [
        place % 2 === 0
          ? '2999-01-01T00:00:00Z'
          : holds
            ? '2001-01-01T00:00:00Z'
            : '2999-01-01T00:00:00Z',
      ],
    })),
  },
  {
    name: 'first_visit',
    rules: full((_, holds) => ({ fact: 'first_visit', [holds ? 'is' : 'is_not']: [true] })),
    ...otherAgents,
  },
  {
    name: 'source',
    rules: listing('source', () => 'qr'),
    query: (n) => `${'qrqr'.repeat(400)}${n}`,
  },
  {
    name: 'query',
    rules: listing(
      'query',
      (i) => `=${i}`,
      () => ({ name: 'a' }),
    ),
    query: longQuery,
  },
  {
    name: 'query of 6 kB',
    rules: listing(
      'query',
      (i) => `=${i}`,
      () => ({ name: 'a' }),
    ),
    query: (n) => `x=${n}${'&a=1'.repeat(1_500)}`,
  },
  {
    name: 'share, in 50 rules',
    rules: full(
      (place, holds) => ({ fact: 'share', is: [holds ? 99 : 1 + (place % 2)] }),
      allConditions / maxRules,
    ),
    ...otherAgents,
  },
  {
    name: 'split of everyone else',
    rules: [
      ...full((_, holds) => ({ fact: 'source', [holds ? 'is' : 'is_not']: ['link'] })),
      { else: true, split: [{ weight: 20 }, ...list(4, () => ({ to, weight: 20 }))] },
    ],
    ...otherAgents,
  },
  {
    name: 'app links',
    rules: [
      ...full((_, holds) => ({ fact: 'source', [holds ? 'is' : 'is_not']: ['link'] })).slice(1),
      {
        when: list(conditions, () => ({ fact: 'system', is: ['linux'] })),
        app: { ios: to, fallback: to },
      },
    ],
    ...otherAgents,
  },
]

/** Each fact in turn, with the request that costs most. */
export const mixedRules: CostlyRules = {
  name: 'all facts together',
  rules: list(allConditions / conditions, (rule) => ({
    when: list(conditions, (i) => mixed(rule * conditions + i, i < conditions - 1)),
    to,
  })),
  query: longQuery,
  headers: (n) => ({
    'user-agent': agent(n),
    'x-forwarded-for': `2001:db8:0:1:2:3:5:${hex(n)}`,
    'accept-language': list(
      30,
      (i) => `${letters(n + i)}-${letters(n * 3 + i)}-${letters(i)}-yy`,
    ).join(','),
  }),
}

function mixed(place: number, holds: boolean): Written {
  if (!holds) return { fact: 'source', is: ['qr'] }
  const kinds: Written[] = [
    { fact: 'language', is_not: list(valuesEach, (i) => `${letters(place + i)}-zz-zz-zz`) },
    { fact: 'browser', is_not: ['safari'] },
    {
      fact: 'address',
      is_not: list(valuesEach, (i) => `2001:db8:0:1:2:3:4:${hex(place * 10 + i)}`),
    },
    {
      fact: 'weekday',
      is: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'],
      ...zoneAt(place),
    },
    { fact: 'query', name: 'a', is_not: list(valuesEach, (i) => `=${place + i}`) },
    { fact: 'share', is: [99] },
  ]
  return kinds[place % kinds.length] ?? {}
}

/** The longest rules: as many values as they may have, and addresses up to the bound of bytes. */
export const longestRules = () => {
  const hosts = list(230, (i) => `https://host-${i}.example.com/${'p'.repeat(20)}`)
  return [
    ...list(45, (i) => ({
      when: [
        { fact: 'address', is: list(40, (n) => `2001:db8:${(i * 40 + n).toString(16)}::/48`) },
        {
          fact: 'weekday',
          is: ['monday'],
          zone: zones[i % zones.length],
        },
      ],
      split: list(5, (n) => ({ to: hosts[i * 5 + n], weight: 20 })),
    })),
  ]
}
