import { expect, test } from 'vitest'
import { type DecidedLink, decideLink, type LinkVisit } from '#domain/visits/decide-link.ts'
import type { LinkRules } from '#domain/visits/rules.ts'
import { unknownFacts } from './unknown-facts.ts'
import { type OptionsRow, optionsOf } from '#server/visits/names/entry-options.ts'
import { seededRandom } from '#test/seeded-random.ts'

// The decision about a visit against a second reading of docs/links.md, which shares no code with it: generated links as rows
// of the database, and generated visits. The conditions of rules have a reading of their separate test (rule-readings.test.ts).

const pairs = 100_000
const own = [
  'shop.example',
  'shop.example/?a=1&b',
  'shop.example/x?c=%20#end',
  'shop.example/#?a=1',
  'shop.example/?utm_source=own&a=1&utm_medium=own#end',
]
const country = 'DE'

interface Link {
  state: 'on' | 'off' | 'blocked'
  destination: string
  hasPopup: boolean
  row: OptionsRow | null
}

interface Visit {
  plus: boolean
  previewer: boolean
  knowsPassword: boolean
  clicks: number
  query: string
  country: string | undefined
  now: number
}

function generators(random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const sometimes = <T>(value: T): T | null => (random() < 0.25 ? value : null)
  const moment = () => 1_000 + Math.floor(random() * 5)
  const rules = (): LinkRules => [
    {
      id: 'local',
      when: [{ fact: 'country', is: [country] }],
      to: `https://${pick(own)}`,
    } as unknown as LinkRules[number],
  ]
  const row = (): OptionsRow => ({
    starts_at: sometimes(moment()),
    ends_at: sometimes(moment()),
    max_clicks: sometimes(3),
    clicks: 0,
    fallback_url: sometimes('https://fallback.example/?a=own'),
    password_hash: null,
    password_version: null,
    ...(random() < 0.2 && { password_hash: 'hash', password_version: 'version' }),
    forward_query: pick(['none', 'none', 'all', 'a', 'b,c', 'A']),
    forward_overrides: random() < 0.5,
    redirect_status: pick([302, 302, 307]),
    preview_title: random() < 0.1 ? 'Preview' : null,
    preview_description: null,
    preview_image_url: null,
    show_preview_page: random() < 0.7,
    campaigns:
      random() < 0.3
        ? [
            ['t4', 'poster', '', '', '', 'a b'],
            ['k7', '', 'print', '', '', ''],
          ]
        : null,
    ruling: random() < 0.3 ? { rules: rules(), blocked: pick([[], [`https://${own[0]}`]]) } : null,
  })
  const link = (): Link => ({
    state: pick(['on', 'on', 'on', 'on', 'on', 'on', 'off', 'blocked']),
    destination: `https://${pick(own)}`,
    hasPopup: random() < 0.3,
    row: random() < 0.8 ? row() : null,
  })
  const queries = [
    '',
    'a=2',
    'qr',
    'qr=t4',
    'qr=K7&a=2&utm_medium=visit',
    'qr=zz',
    'b=1&c',
    'a=2&&a=3',
    'password=x&b',
    'A=1',
    'x=%zz',
    `b=${'y'.repeat(2_040)}`,
  ]
  const visit = (): Visit => ({
    plus: random() < 0.15,
    previewer: random() < 0.15,
    knowsPassword: random() < 0.5,
    clicks: Math.floor(random() * 5),
    query: pick(queries),
    country: pick([country, 'US', undefined]),
    now: moment(),
  })
  return { link, visit }
}

/** The outcome in words, as docs/links.md orders it. */
function readSecondTime({ state, destination, hasPopup, row }: Link, visit: Visit): string {
  if (state !== 'on') return state
  const closed = (word: string) => (row?.fallback_url ? `${word} -> ${row.fallback_url}` : word)
  if (row) {
    if (row.starts_at && visit.now < row.starts_at) return closed('not yet')
    const isOver = row.ends_at && visit.now >= row.ends_at
    if (isOver || (row.max_clicks && visit.clicks >= row.max_clicks)) return closed('ended')
  }
  if (visit.plus) {
    if (row && !row.show_preview_page) return 'no page'
    const depends = row && (row.password_hash || row.starts_at || row.ends_at || row.ruling)
    return depends ? 'page of the visitor' : `page of ${destination}`
  }
  if (visit.previewer && row?.preview_title) return 'preview'
  if (row?.password_hash && !visit.knowsPassword) return 'password'
  let address = destination
  if (row?.ruling && visit.country === country)
    address = String((row.ruling.rules[0] as { to?: string }).to)
  if (row?.ruling?.blocked.includes(address)) return 'blocked'
  if (row) address = withQuery(placed(address, visit.query, row), visit.query, row)
  return hasPopup ? `popup, then ${address}` : `${row?.redirect_status ?? 302} ${address}`
}

/** "The campaign of the placement that was scanned replaces that of the destination." */
function placed(address: string, query: string, row: OptionsRow): string {
  const scanned = query.split('&').find((pair) => pair.startsWith('qr='))
  const [, ...texts] =
    row.campaigns?.find(([mark]) => `qr=${mark}` === scanned?.toLowerCase()) ?? []
  const pairs = ['source', 'medium', 'campaign', 'term', 'content']
    .map((name, i) => [`utm_${name}`, encodeURIComponent(texts[i] ?? '')])
    .filter(([, text]) => text !== '')
  const all = { ...row, forward_query: 'all', forward_overrides: true }
  return withQuery(address, pairs.map((pair) => pair.join('=')).join('&'), all)
}

/** "Pairs are appended raw, in order, before `#`; a parameter that the destination has wins unless overrides are on." */
function withQuery(address: string, query: string, row: OptionsRow): string {
  if (row.forward_query === 'none') return address
  const wanted = row.forward_query.split(',')
  const [, before = '', search = '', hash = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(address) ?? []
  const there = search.slice(1).split('&').filter(Boolean)
  const keyOf = (pair: string) => pair.replace(/=.*$/s, '')
  const has = (list: string[], key: string) => list.some((pair) => keyOf(pair) === key)
  const added = query.split('&').filter((pair) => {
    const key = keyOf(pair)
    if (pair === '' || key === 'qr' || key === 'password') return false
    if (row.forward_query !== 'all' && !wanted.includes(key)) return false
    return row.forward_overrides || !has(there, key)
  })
  if (added.length === 0) return address
  const kept = there.filter((pair) => !has(added, keyOf(pair)))
  const result = `${before}?${[...kept, ...added].join('&')}${hash}`
  return result.length > 2_048 ? address : result
}

type Decide = typeof decideLink

function firstReading(link: Link, visit: Visit, decide: Decide): string {
  const { row } = link
  const options = row ? optionsOf(row, { ownHosts: [], allowPermanentRedirects: false }) : undefined
  const decided: DecidedLink = { ...link, options }
  const seen: LinkVisit = {
    wantsPreviewPage: visit.plus,
    query: visit.query,
    isPreviewer: () => visit.previewer,
    hasGivenPassword: () => visit.knowsPassword,
    clicks: () => visit.clicks,
    facts: () => ({ ...unknownFacts, country: visit.country }),
  }
  const outcome = decide(decided, seen, visit.now)
  switch (outcome.do) {
    case 'not-yet':
    case 'ended': {
      const word = outcome.do === 'ended' ? 'ended' : 'not yet'
      return outcome.to === undefined ? word : `${word} -> ${outcome.to}`
    }
    case 'preview-page':
      return outcome.to === undefined ? 'page of the visitor' : `page of ${outcome.to}`
    case 'no-preview-page':
      return 'no page'
    case 'interstitial':
      return `popup, then ${outcome.to}`
    case 'redirect':
      return `${outcome.status} ${outcome.to}`
    case 'off':
    case 'blocked':
    case 'password':
    case 'preview':
      return outcome.do
  }
}

function compare(decide: Decide, count = pairs) {
  const { link, visit } = generators(seededRandom(2_811))
  const differences: unknown[] = []
  const outcomes = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const [one, by] = [link(), visit()]
    const [first, second] = [firstReading(one, by, decide), readSecondTime(one, by)]
    if (first !== second) differences.push({ first, second, one, by })
    const kind = first.replace(/ (?:->|of|then) .*|(?<=^30\d) .*/s, '')
    outcomes.set(kind, (outcomes.get(kind) ?? 0) + 1)
  }
  return { differences, outcomes }
}

test('two readings of a link decide 100,000 visits alike, with every outcome among them', () => {
  const { differences, outcomes } = compare(decideLink)
  expect(differences.slice(0, 3)).toEqual([])
  expect([...outcomes.keys()].toSorted()).toEqual(
    [
      '302',
      '307',
      'blocked',
      'ended',
      'no page',
      'not yet',
      'off',
      'page',
      'password',
      'popup,',
      'preview',
    ].toSorted(),
  )
  for (const [outcome, count] of outcomes) expect([outcome, count > 100]).toEqual([outcome, true])
})

// Positive controls: the comparison notices a decision that gets one thing wrong.
test.each<[string, Decide]>([
  ['is a moment late', (link, visit, now) => decideLink(link, visit, now - 1)],
  [
    'counts a click too few',
    (link, visit, now) => decideLink(link, { ...visit, clicks: () => visit.clicks() - 1 }, now),
  ],
  [
    'shows a preview to everybody',
    (link, visit, now) => decideLink(link, { ...visit, isPreviewer: () => true }, now),
  ],
  ['forgets the query', (link, visit, now) => decideLink(link, { ...visit, query: '' }, now)],
  [
    'knows no campaign of a placement',
    ({ options, ...link }, visit, now) =>
      decideLink({ ...link, options: options && { ...options, campaigns: undefined } }, visit, now),
  ],
  ['forgets the popup', (link, visit, now) => decideLink({ ...link, hasPopup: false }, visit, now)],
])('the second reading differs from one that %s', (_, decide) => {
  expect(compare(decide, 20_000).differences.length).toBeGreaterThan(50)
})
