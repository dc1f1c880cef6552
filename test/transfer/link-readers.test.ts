import { expect, it } from 'vitest'
import { toCsv } from '#domain/csv.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { recognizeColumns, recognizeJson } from '#domain/transfer/source-readers.ts'
import { columnsOf, convertAll, convertFixture, csvRecords, readFixture } from './fixtures.ts'

it('a CSV of Bitly gives links with the code and the host of its custom address', () => {
  expect(convertFixture('bitly', 'bitly.csv')).toEqual([
    {
      kind: 'link',
      url: 'https://example.com/spring',
      code: 'Spring',
      formerUrl: 'brand.link/Spring',
      sourceId: 'brand.link/Spring',
      createdAt: '2023-03-01T09:30:00.000Z',
      clicksBefore: undefined,
      columns: { title: 'Spring, with a comma', tags: ['print', 'poster'] },
      losses: [],
    },
    {
      kind: 'link',
      url: 'https://example.com/old',
      code: '3xYz',
      formerUrl: 'bit.ly/3xYz',
      sourceId: 'bit.ly/3xYz',
      createdAt: '2021-12-24T18:00:00.000Z',
      clicksBefore: undefined,
      columns: { title: '=1+1', archived_at: '2021-12-24T18:00:00.000Z' },
      losses: [],
    },
    { kind: 'refused', refusal: 'This row has no destination', label: 'bit.ly/none' },
  ])
})

it('a link of the API of Bitly loses its deep links and further addresses by name', () => {
  expect(convertFixture('bitly', 'bitly.json')).toEqual([
    {
      kind: 'link',
      url: 'https://example.com/menu?x=1',
      code: 'Menu',
      formerUrl: 'brand.link/Menu',
      sourceId: 'bit.ly/3aBcD',
      createdAt: '2022-05-01T10:00:00.000Z',
      clicksBefore: undefined,
      columns: { title: 'The menu', tags: ['Print', 'summer  2022'] },
      losses: ['further short addresses', 'deep link for iOS', 'deep link for Android'],
    },
    expect.objectContaining({
      code: '2eFgH',
      formerUrl: 'bit.ly/2eFgH',
      columns: { archived_at: '2020-01-02T03:04:05.000Z' },
      losses: [],
    }),
  ])
})

it('a CSV of Dub gives links with clicks, tags and a path as code', () => {
  expect(convertFixture('dub', 'dub.csv')).toEqual([
    {
      kind: 'link',
      url: 'https://example.com/launch',
      code: 'Launch',
      formerUrl: 'dub.sh/Launch',
      sourceId: 'link_1',
      createdAt: '2024-02-03T04:05:06.000Z',
      clicksBefore: 1204,
      columns: { tags: ['news', 'launch'], forward_query: 'all', forward_overrides: true },
      losses: [],
    },
    expect.objectContaining({
      code: 'docs/start',
      formerUrl: 'go.example.com/docs/start',
      columns: {
        archived_at: '2024-06-04T00:00:00.000Z',
        forward_query: 'all',
        forward_overrides: true,
      },
    }),
  ])
})

it('a link of the API of Dub keeps its rules, end and preview', () => {
  const [app, secret] = convertFixture('dub', 'dub.json')
  expect(app).toEqual({
    kind: 'link',
    url: 'https://example.com/app',
    code: 'app',
    formerUrl: 'dub.sh/app',
    sourceId: 'link_a',
    createdAt: '2024-02-03T04:05:06.000Z',
    clicksBefore: 42,
    columns: {
      title: 'The app',
      note: 'First line\nSecond line',
      external_id: 'ext-1',
      tags: ['Mobile'],
      forward_query: 'all',
      forward_overrides: true,
      preview_title: 'The app',
      preview_description: 'Get it',
      preview_image_url: 'https://example.com/app.png',
      ends_at: '2099-01-01T00:00:00.000Z',
      fallback_url: 'https://example.com/over',
    },
    rules: [
      { when: [{ fact: 'system', is: ['ios'] }], to: 'https://apps.apple.com/app/id1' },
      { when: [{ fact: 'country', is: ['DE', 'AT'] }], to: 'https://example.com/de' },
      { else: true, split: [{ weight: 60 }, { to: 'https://example.com/b', weight: 40 }] },
    ],
    losses: ['target for Android', 'target for XX', 'cloaking', 'conversion tracking'],
  })
  expect(secret).toMatchObject({ columns: { is_disabled: true }, losses: ['password'] })
})

it('a link of Kutt with a password or a ban arrives switched off', () => {
  const [open, locked, banned] = convertFixture('kutt', 'kutt.json')
  expect(open).toEqual({
    kind: 'link',
    url: 'https://example.com/handbook',
    code: 'Handbook',
    formerUrl: 'kutt.example.com/Handbook',
    sourceId: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    createdAt: '2023-01-02T03:04:05.000Z',
    clicksBefore: 17,
    columns: { title: 'The handbook', ends_at: '2099-05-01T00:00:00.000Z' },
    losses: [],
  })
  expect(locked).toMatchObject({ columns: { is_disabled: true }, losses: ['password'] })
  expect(banned).toMatchObject({ columns: { is_disabled: true }, losses: ['ban'] })
})

it('a CSV of Shlink gives links with tags behind bars', () => {
  expect(convertFixture('shlink', 'shlink.csv')).toEqual([
    {
      kind: 'link',
      url: 'https://example.com/fair',
      code: 'Fair',
      formerUrl: 's.example.com/Fair',
      sourceId: 'https://s.example.com/Fair',
      createdAt: '2023-06-01T10:00:00.000Z',
      clicksBefore: 120,
      columns: { title: 'The fair', tags: ['events', 'print'] },
      losses: [],
    },
    expect.objectContaining({ code: 'map', formerUrl: 'other.example.com/map', columns: {} }),
  ])
})

it('a short URL of the API of Shlink keeps its redirect rules by priority and the rest of its limit', () => {
  const [fair, spent] = convertFixture('shlink', 'shlink.json')
  expect(fair).toMatchObject({
    columns: {
      title: 'The fair',
      tags: ['events'],
      forward_query: 'all',
      starts_at: '2023-05-31T22:00:00.000Z',
      ends_at: '2099-06-29T22:00:00.000Z',
      max_clicks: 880,
    },
    rules: [
      {
        when: [
          { fact: 'system', is: ['ios'] },
          { fact: 'query', name: 'from', is: ['=app'] },
        ],
        to: 'https://apps.apple.com/app/fair',
      },
      { when: [{ fact: 'language', is: ['en'] }], to: 'https://example.com/fair/en' },
    ],
    losses: ['redirect rules that match no visit'],
  })
  expect(spent).toMatchObject({
    formerUrl: 'other.example.com/spent',
    columns: { is_disabled: true },
    losses: ['click limit, which is used up'],
  })
})

it('a link of YOURLS has no address of a visitor and no title that is its address', () => {
  const [blog, plain] = convertFixture('yourls', 'yourls.json')
  expect(blog).toEqual({
    kind: 'link',
    url: 'https://example.com/ozh',
    code: 'ozh',
    formerUrl: 'sho.example.com/ozh',
    sourceId: 'https://sho.example.com/ozh',
    createdAt: '2019-08-07T06:05:04.000Z',
    clicksBefore: 4321,
    columns: { title: 'A blog' },
    losses: [],
  })
  expect(plain).toMatchObject({ columns: {}, createdAt: undefined, losses: ['date'] })
  expect(JSON.stringify([blog, plain])).not.toContain('203.0.113')
})

it('a CSV of the plugin of YOURLS gives codes without slashes', () => {
  expect(convertFixture('yourls', 'yourls.csv')).toEqual([
    expect.objectContaining({ url: 'https://example.com/ozh', code: 'ozh', clicksBefore: 7 }),
  ])
})

it('a link of Rebrandly forwards parameters, and a paused one arrives switched off', () => {
  const [jobs, paused] = convertFixture('rebrandly', 'rebrandly.json')
  expect(jobs).toEqual({
    kind: 'link',
    url: 'https://example.com/jobs',
    code: 'Jobs',
    formerUrl: 'rebrand.ly/Jobs',
    sourceId: '0123456789abcdef',
    createdAt: '2022-02-02T02:02:02.000Z',
    clicksBefore: 55,
    columns: { title: 'Jobs', tags: ['hr'], forward_query: 'all' },
    losses: ['favorite'],
  })
  expect(paused).toMatchObject({ columns: { is_disabled: true }, losses: [] })
})

it('a link of Short.io keeps its split and targets, and the root of a domain is refused', () => {
  const [shop, vip, root] = convertFixture('short-io', 'short-io.json')
  expect(shop).toMatchObject({
    code: 'Shop',
    formerUrl: 'short.example.com/Shop',
    columns: {
      forward_query: 'all',
      ends_at: '2099-01-01T00:00:00.000Z',
      fallback_url: 'https://example.com/closed',
      max_clicks: 500,
    },
    rules: [
      { when: [{ fact: 'system', is: ['ios'] }], to: 'https://apps.apple.com/app/shop' },
      {
        when: [{ fact: 'system', is: ['android'] }],
        to: 'https://play.google.com/store/apps/details?id=shop',
      },
      { else: true, split: [{ weight: 70 }, { to: 'https://example.com/shop-b', weight: 30 }] },
    ],
    losses: ['clicks so far of the click limit', 'cloaking'],
  })
  expect(vip).toMatchObject({
    columns: { archived_at: '2023-04-04T04:04:04.000Z', is_disabled: true },
    losses: ['password'],
  })
  expect(root).toEqual({
    kind: 'refused',
    refusal: 'This is where the bare domain leads, which is a setting of the server and not a link',
    label: 'short.example.com',
  })
})

it('a link of Sink has rules for devices before those for countries', () => {
  const [sink, locked] = convertFixture('sink', 'sink.json')
  expect(sink).toEqual({
    kind: 'link',
    url: 'https://example.com/sink',
    code: 'sink',
    formerUrl: undefined,
    sourceId: '9kd3',
    createdAt: '2024-06-10T06:13:20.000Z',
    clicksBefore: undefined,
    columns: {
      title: 'Sink',
      note: 'For the fair',
      preview_title: 'Sink',
      preview_description: 'Open it',
      tags: ['fair'],
      ends_at: '2099-01-01T00:00:00.000Z',
      forward_query: 'all',
    },
    rules: [
      { when: [{ fact: 'system', is: ['ios'] }], to: 'https://apps.apple.com/app/sink' },
      {
        when: [{ fact: 'system', is: ['android'] }],
        to: 'https://play.google.com/store/apps/details?id=sink',
      },
      { when: [{ fact: 'country', is: ['US'] }], to: 'https://example.com/us' },
      { when: [{ fact: 'country', is: ['DE'] }], to: 'https://example.com/de' },
    ],
    losses: ['preview picture', 'cloaking'],
  })
  expect(locked).toMatchObject({
    columns: { is_disabled: true },
    losses: ['password', 'warning page'],
  })
})

it('a CSV of tiny.cc with semicolons gives links with notes', () => {
  expect(convertFixture('tiny-cc', 'tiny-cc.csv', ';')).toEqual([
    expect.objectContaining({
      url: 'https://example.com/tiny',
      code: 'Tiny1',
      columns: { note: 'A note; with a semicolon' },
    }),
  ])
})

it('a CSV in our own columns gives each option, and its rules from their JSON', () => {
  const [summer, plain] = convertFixture('hoplet', 'own-columns.csv')
  expect(summer).toEqual({
    kind: 'link',
    url: 'https://example.com/summer',
    code: 'Summer',
    formerUrl: undefined,
    sourceId: undefined,
    createdAt: undefined,
    clicksBefore: 99,
    columns: {
      title: 'Summer',
      note: 'Line 1\nLine 2',
      tags: ['a', 'b'],
      starts_at: '2024-01-01T00:00:00.000Z',
      ends_at: '2099-01-01T00:00:00.000Z',
      max_clicks: 10,
      fallback_url: 'https://example.com/later',
      is_disabled: true,
      archived_at: '2024-05-05T05:05:05.000Z',
    },
    rules: [{ when: [{ fact: 'country', is: ['DE'] }], to: 'https://example.com/de' }],
    losses: [],
  })
  expect(plain).toMatchObject({ code: 'plain', columns: {}, losses: [] })
})

it('the CSV that the list of links saves reads back with its formulas as they were', () => {
  // The columns of web/features/links/list/export-links.ts.
  const columns = ['short_link', 'destination', 'title', 'tags', 'clicks', 'active', 'created_at']
  const row = ['https://hop.example.com/sum', 'https://example.com/', '=SUM(A1)', 'a, b', 7, 'no']
  const csv = toCsv(columns, [[...row, '2024-01-02T03:04:05.678Z']])
  expect(csv).toContain("'=SUM(A1)")
  expect(recognizeColumns(columns)).toBe('hoplet')
  expect(convertAll('hoplet', csvRecords(csv))).toEqual([
    {
      kind: 'link',
      url: 'https://example.com/',
      code: 'sum',
      formerUrl: 'hop.example.com/sum',
      sourceId: undefined,
      createdAt: '2024-01-02T03:04:05.678Z',
      clicksBefore: 7,
      columns: { title: '=SUM(A1)', tags: ['a', 'b'], is_disabled: true },
      losses: [],
    },
  ])
})

it.each([
  ['bitly', 'bitly.csv', ','],
  ['dub', 'dub.csv', ','],
  ['shlink', 'shlink.csv', ','],
  ['yourls', 'yourls.csv', ','],
  ['tiny-cc', 'tiny-cc.csv', ';'],
  ['hoplet', 'own-columns.csv', ','],
])('a CSV of %s is recognized by its columns', (source, name, delimiter) => {
  const columns = columnsOf(name, delimiter)
  expect(recognizeColumns(columns)).toBe(source)
  const shouted = columns.map((column) => ` ${column.toUpperCase()} `)
  expect(recognizeColumns(shouted)).toBe(source)
})

it.each(['bitly', 'dub', 'kutt', 'shlink', 'yourls', 'rebrandly', 'short-io', 'sink', 'linkstack'])(
  'a JSON file of %s is recognized by its fields',
  (source) => {
    expect(recognizeJson(JSON.parse(readFixture(`${source}.json`)))).toBe(source)
  },
)

it('a file with unknown columns or fields is of no source', () => {
  expect(recognizeColumns(['Kurzlink', 'Ziel'])).toBeUndefined()
  expect(recognizeJson([{ Kurzlink: 'a', Ziel: 'b' }])).toBeUndefined()
  expect(recognizeJson('text')).toBeUndefined()
  expect(recognizeJson(null)).toBeUndefined()
})

it('the rules of each fixture are ones that a link can have', () => {
  const rules = ['dub', 'shlink', 'short-io', 'sink'] as const
  for (const source of rules) {
    const [link] = convertFixture(source, `${source}.json`)
    if (link?.kind !== 'link') throw new Error('no link')
    const options = { ownHosts: [], destination: link.url, newId: () => crypto.randomUUID() }
    expect(parseRules(link.rules, options)).toMatchObject({ ok: true })
  }
})
