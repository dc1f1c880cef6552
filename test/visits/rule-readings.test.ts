import { expect, test } from 'vitest'
import { chooseRule } from '#domain/visits/choose-rule.ts'
import { type RuleFact, ruleFacts } from '#domain/visits/condition-values.ts'
import type { RuleFacts } from '#domain/visits/reading/visit-reading.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { seededRandom } from '#test/seeded-random.ts'
import {
  readSecondTime,
  type ReadVisitor,
  type WrittenCondition,
  type WrittenRule,
} from './second-reading.ts'

const destination = 'https://example.com/own'
const pairs = 100_000
const visitorsPerRules = 10

function generators(random: () => number) {
  const upTo = (max: number) => Math.floor(random() * max)
  const pick = <T>(items: readonly T[]): T => items[upTo(items.length)] as T
  const several = <T>(items: readonly T[], max: number) =>
    Array.from({ length: 1 + upTo(max) }, () => pick(items))

  const countries = ['DE', 'AT', 'CH', 'US']
  const regions = ['Bavaria', 'Île-de-France', 'California']
  const cities = ['Berlin', 'Los Angeles', 'München']
  const systems = ['ios', 'android', 'windows', 'macos', 'linux', 'chromeos']
  const browsers = ['chrome', 'safari', 'firefox', 'samsung_internet']
  const apps = ['instagram', 'tiktok', 'x']
  const zones = ['Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Auckland', 'UTC']
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  // Around the change from summer time in Berlin.
  const start = Date.UTC(2026, 9, 22)
  const instant = () => new Date(start + upTo(6 * 96) * 900_000)
  const clock = (last: number) =>
    `${String(upTo(last)).padStart(2, '0')}:${pick(['00', '15', '59'])}`
  const span = () => {
    const [from, to] = [clock(24), random() < 0.1 ? '24:00' : clock(24)]
    return from === to ? '09:00-17:00' : `${from}-${to}`
  }
  const addresses = [
    '192.0.2.7',
    '192.0.3.7',
    '::ffff:192.0.2.7',
    '2001:db8::7',
    '2001:db8:5::1',
    '',
  ]
  const ranges = [
    '192.0.2.7',
    '192.0.2.0/24',
    '192.0.2.4/30',
    '192.0.0.0/15',
    '192.*.2.7',
    '192.0.*',
    '0.0.0.0/0',
    '::/0',
    '2001:db8::/32',
    '2001:db8::/46',
    '2001:db8:0::7',
    '2001:db8:*',
  ]
  const headers = [
    '',
    '*',
    'de',
    'de-AT,de;q=0.9,en;q=0.8',
    'es_AR',
    'en-US, fr ; q=0.95',
    'fr;q=0.5',
    '*;q=1,en;q=0.9',
  ]
  const queries = ['', 'a', 'a=', 'a=1', 'b=x&a=2', 'a=1&a=2', '%61=x+y', 'A=1', 'a==', '&&a', 'qr']

  const sources: Record<RuleFact, () => Omit<WrittenCondition, 'fact'> & { is: unknown[] }> = {
    country: () => ({ is: several(['de', ...countries], 3) }),
    region: () => ({ is: several(regions, 2) }),
    city: () => ({ is: several([' berlin ', ...cities], 2) }),
    language: () => ({ is: several(['de', 'de-AT', 'es', 'es_AR', 'en', 'fr-FR', 'EN-us'], 2) }),
    system: () => ({ is: several(systems, 3) }),
    device: () => ({ is: several(['mobile', 'tablet', 'desktop'], 2) }),
    browser: () => ({ is: several(browsers, 2) }),
    in_app: () => ({ is: several(['any', ...apps], 2) }),
    address: () => ({ is: several(ranges, 2) }),
    weekday: () => ({ is: several(days, 4), zone: pick(zones) }),
    hours: () => ({ is: Array.from({ length: 1 + upTo(2) }, span), zone: pick(zones) }),
    before: () => ({ is: [instant().toISOString()] }),
    after: () => ({ is: [instant().toISOString().replace('Z', '+00:00')] }),
    first_visit: () => ({ is: [random() < 0.5] }),
    source: () => ({ is: several(['link', 'qr'], 2) }),
    query: () => ({
      is: several(['present', 'empty', '=1', '=2', '=x y', '=='], 2),
      name: pick(['a', 'b']),
    }),
    share: () => ({ is: [1 + upTo(99)] }),
  }

  const condition = (): WrittenCondition => {
    const fact = pick(ruleFacts)
    const { is, ...rest } = sources[fact]()
    return { fact, [random() < 0.6 ? 'is' : 'is_not']: is, ...rest }
  }
  const address = () => `https://example.com/${upTo(1000)}`
  const split = (id: string) => {
    const weights = pick([
      [50, 50],
      [1, 99],
      [60, 40],
      [20, 30, 50],
      [20, 20, 20, 20, 20],
    ])
    return weights.map((weight, i) => ({ id: `${id}-${i}`, to: address(), weight }))
  }
  const target = (id: string): Partial<WrittenRule> => {
    const kind = upTo(4)
    if (kind === 0) return { split: split(id) }
    if (kind > 1) return { to: address() }
    const ios = random() < 0.7
    return {
      app: {
        ...(ios && { ios: address() }),
        ...((!ios || random() < 0.7) && { android: address() }),
        fallback: address(),
      },
    }
  }
  const rules = (): WrittenRule[] => {
    const list: WrittenRule[] = Array.from({ length: upTo(6) }, (_, i) => ({
      id: `r${i}`,
      when: Array.from({ length: 1 + upTo(3) }, condition),
      ...target(`r${i}`),
    }))
    if (random() < 0.4) {
      const [first, ...others] = split('else')
      if (first)
        list.push({ id: 'else', else: true, split: [{ ...first, to: destination }, ...others] })
    }
    return list
  }

  const visitor = (of: readonly WrittenRule[]): ReadVisitor => ({
    country: pick(['', ...countries]),
    region: pick(['', ...regions]),
    city: pick(['', ...cities]),
    languages: pick(headers),
    system: pick(['', 'other', ...systems]),
    device: pick(['', 'other', 'mobile', 'tablet', 'desktop']),
    browser: pick(['', 'other', ...browsers]),
    app: pick(['', 'none', 'none', 'other', ...apps]),
    address: pick(addresses),
    firstVisit: pick([null, true, false]),
    source: pick(['link', 'link', 'qr']),
    query: pick(queries),
    draws: new Map(
      of.flatMap(({ id }) =>
        random() < 0.9
          ? [
              [id, random() * 100],
              [`split of ${id}`, random() * 100],
            ]
          : [],
      ),
    ),
    now: instant(),
  })
  return { rules, visitor }
}

function factsOf(visitor: ReadVisitor): RuleFacts {
  const known = <T extends string>(text: string) => (text === '' ? undefined : (text as T))
  return {
    country: known(visitor.country),
    region: known(visitor.region),
    city: known(visitor.city),
    languages: visitor.languages,
    system: known(visitor.system),
    device: known(visitor.device),
    browser: known(visitor.browser),
    inApp: known(visitor.app),
    address: known(visitor.address),
    firstVisit: visitor.firstVisit ?? undefined,
    source: known(visitor.source),
    query: visitor.query,
    shareOf: (key) => visitor.draws.get(key.replace(/^(.*)\/split$/, 'split of $1')),
  }
}

type Choose = (rules: LinkRules, facts: RuleFacts, now: number) => ReturnType<typeof chooseRule>

/** How many pairs the two readings decide differently, and how often each part of the rules decided. */
function compare(choose: Choose, count = pairs) {
  const { rules, visitor } = generators(seededRandom(28))
  const differences: unknown[] = []
  const decided = { none: 0, to: 0, app: 0, split: 0, else: 0 }
  for (let i = 0; i < count; i += visitorsPerRules) {
    const written = rules()
    const parsed = parseRules(written, { ownHosts: [], destination })
    if (!parsed.ok) throw new Error(JSON.stringify([parsed.problems, written]))
    for (let j = 0; j < visitorsPerRules; j++) {
      const person = visitor(written)
      const chosen = choose(parsed.rules, factsOf(person), person.now.getTime())
      const first = [chosen?.rule.id, chosen?.variant?.id, chosen?.to ?? destination]
      const second = readSecondTime(written, person, destination)
      if (first.join() !== second.join()) differences.push({ written, person, first, second })
      const rule = chosen?.rule
      decided[
        !rule ? 'none' : 'else' in rule ? 'else' : rule.split ? 'split' : rule.app ? 'app' : 'to'
      ]++
    }
  }
  return { differences, decided }
}

const expectSame = (count: number) => {
  const { differences, decided } = compare(chooseRule, count)
  expect(differences.slice(0, 3)).toEqual([])
  for (const each of Object.values(decided)) expect(each).toBeGreaterThan(count / 50)
}

test('two readings of the rules decide 10,000 visits alike', () => expectSame(10_000))

test('two readings of the rules decide 100,000 visits alike', { tags: ['extended'] }, () =>
  expectSame(pairs),
)

// Positive controls: the comparison notices a reading that gets one thing wrong.
test.each<[string, Choose]>([
  [
    'takes an unknown country for one that is not listed',
    (rules, facts, now) => chooseRule(rules, { ...facts, country: facts.country ?? 'ZZ' }, now),
  ],
  ['is a minute late', (rules, facts, now) => chooseRule(rules, facts, now - 60_000)],
  [
    'takes the last rule first',
    (rules, facts, now) => chooseRule([...rules].reverse(), facts, now),
  ],
  ['ignores the app', (rules, facts, now) => chooseRule(rules, { ...facts, inApp: 'none' }, now)],
])('the second reading differs from one that %s', (_, choose) => {
  expect(compare(choose, 4_000).differences.length).toBeGreaterThan(5)
})
