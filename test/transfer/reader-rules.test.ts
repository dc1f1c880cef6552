import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columnKeysOf, recordOfRow } from '#domain/transfer/imported.ts'
import { readInstant } from '#domain/transfer/read-instant.ts'
import { mappedReader } from '#domain/transfer/readers/mapped.ts'
import { sourceReaders } from '#domain/transfer/source-readers.ts'
import { apiSourceIds, importSource, importSourceIds } from '#domain/transfer/sources.ts'
import { parseRules } from '#domain/visits/parse-rules.ts'
import { jsonRecords, readFixture } from './fixtures.ts'

const own = sourceReaders.hoplet
const linkOf = (record: Record<string, unknown>) => {
  const converted = own.convert({ original_url: 'https://example.com/', ...record })
  if (converted.kind !== 'link') throw new Error('no link')
  return converted
}

it.each([
  ['2024-05-01T10:00:00+02:00', '2024-05-01T08:00:00.000Z'],
  ['2024-05-01T10:00:00+0000', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01T10:00:00.123456Z', '2024-05-01T10:00:00.123Z'],
  ['2024-05-01T10:00:00', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01 10:00:00', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01 10:00:00 UTC', '2024-05-01T10:00:00.000Z'],
  ['2024-05-01 10:00', '2024-05-01T10:00:00.000Z'],
  ['2024/05/01', '2024-05-01T00:00:00.000Z'],
  ['May 1, 2024', '2024-05-01T00:00:00.000Z'],
  ['Wed, 01 May 2024 10:00:00 GMT', '2024-05-01T10:00:00.000Z'],
  ['1714557600', '2024-05-01T10:00:00.000Z'],
  [1_714_557_601, '2024-05-01T10:00:01.000Z'],
  [1_714_557_600_000, '2024-05-01T10:00:00.000Z'],
])('the date %s is read', (written, instant) => {
  expect(readInstant(written)).toBe(instant)
})

it.each([
  '05/01/2024',
  '01.05.2024',
  '2024-02-30',
  '0000-00-00 00:00:00',
  '0001-01-01T00:00:00Z',
  'yesterday',
  '2024',
  '',
  '1'.repeat(100),
])('the text %j is no date', (written) => {
  expect(readInstant(written)).toBeUndefined()
})

it('a value that is neither text nor number, or no whole instant, is no date', () => {
  const values = [-5, Number.NaN, Number.POSITIVE_INFINITY, null, {}, [1_714_557_600], true]
  for (const value of values) expect(readInstant(value), JSON.stringify(value)).toBeUndefined()
})

it('a date in the future or without a meaning is dropped by name', () => {
  expect(linkOf({ created_at: '2023-01-01' })).toMatchObject({ losses: [] })
  for (const created_at of ['2999-01-01', 'soon'])
    expect(linkOf({ created_at })).toMatchObject({ createdAt: undefined, losses: ['date'] })
})

it('an expiry or a limit without a meaning switches the link off', () => {
  expect(linkOf({ ends_at: '2099-01-01', max_clicks: '5' }).columns).toEqual({
    ends_at: '2099-01-01T00:00:00.000Z',
    max_clicks: 5,
  })
  expect(linkOf({ ends_at: 'in two days' })).toMatchObject({
    columns: { is_disabled: true },
    losses: ['expiry'],
  })
  expect(linkOf({ max_clicks: 'few' })).toMatchObject({
    columns: { is_disabled: true },
    losses: ['click limit'],
  })
  expect(linkOf({ starts_at: '2030-01-01', ends_at: '2029-01-01' })).toMatchObject({
    columns: { is_disabled: true, ends_at: '2029-01-01T00:00:00.000Z' },
    losses: ['start after the end'],
  })
})

it('a password switches the link off, also one that reads like "no"', () => {
  const url = 'https://example.com/'
  const locked = { columns: { is_disabled: true }, losses: ['password'] }
  expect(linkOf({ password: 'no' })).toMatchObject(locked)
  expect(linkOf({ has_password: 'true' })).toMatchObject(locked)
  expect(linkOf({ has_password: 'no' })).toMatchObject({ columns: {}, losses: [] })
  const short = { originalURL: url, path: 'p' }
  for (const more of [{ password: '0' }, { password: false, hasPassword: true }])
    expect(sourceReaders['short-io'].convert({ ...short, ...more })).toMatchObject(locked)
  const open = sourceReaders['short-io'].convert({ ...short, password: false, hasPassword: false })
  expect(open).toMatchObject({ columns: {}, losses: [] })
})

it('an empty date of an expiry is none', () => {
  for (const ends_at of [0, '0', '0000-00-00 00:00:00', '', null])
    expect(linkOf({ ends_at })).toMatchObject({ columns: {}, losses: [] })
})

it('a limit counts the clicks that were used before', () => {
  expect(linkOf({ max_clicks: 10, clicks: 4 }).columns.max_clicks).toBe(6)
  expect(linkOf({ max_clicks: 10, clicks: 10 })).toMatchObject({
    columns: { is_disabled: true },
    losses: ['click limit, which is used up'],
  })
})

it('texts and tags beyond the bounds are cut by name', () => {
  const tags = Array.from({ length: 22 }, (_, i) => (i === 0 ? 'x'.repeat(41) : `t${i}`))
  const { columns, losses } = linkOf({ title: '😀'.repeat(201), note: 'n'.repeat(2_001), tags })
  expect(columns.title).toBe('😀'.repeat(200))
  expect(columns.note).toHaveLength(2_000)
  expect(columns.tags).toHaveLength(20)
  expect(columns.tags?.[0]).toBe('x'.repeat(40))
  expect(losses).toEqual([
    'end of the title',
    'end of the note',
    'end of a tag',
    'tags after the 20th',
  ])
})

it('control characters and halves of characters are out of each text, and formulas stay text', () => {
  const link = linkOf({
    original_url: ' https://example.com/a\u0000b\n ',
    title: 'a\u0000b\u0007c\nd',
    note: 'one\u0000\r\ntwo\tthree',
    tags: ['a\u0000', '\ud800'],
    short_code: 'x\u0000y',
  })
  expect(link).toMatchObject({ url: 'https://example.com/ab', code: 'xy' })
  expect(link.columns).toEqual({ title: 'a b c d', note: 'one\ntwo\tthree', tags: ['a', '\ufffd'] })
  expect(linkOf({ title: '=HYPERLINK("x")' }).columns.title).toBe('=HYPERLINK("x")')
})

it('rules beyond the bounds or without a meaning are lost by their addresses, and the others stay', () => {
  const rule = (i: number) => ({
    when: [{ fact: 'country', is: ['DE'] }],
    to: `https://example.com/${i}`,
  })
  const many = linkOf({ rules: Array.from({ length: 60 }, (_, i) => rule(i)) })
  expect(many.rules).toHaveLength(50)
  expect(many.losses).toHaveLength(10)
  expect(many.losses[0]).toBe('rule to https://example.com/50')
  const mixed = linkOf({
    rules: [{ when: [{ fact: 'moon', is: ['full'] }], to: 'https://example.com/moon' }, rule(1)],
  })
  expect(mixed).toMatchObject({ rules: [rule(1)], losses: ['rule to https://example.com/moon'] })
  expect(linkOf({ rules: 'not JSON' })).toMatchObject({ losses: ['rules'] })
  expect(linkOf({ rules: '[]' })).toMatchObject({ losses: [] })
  const large = Array.from({ length: 50 }, (_, i) => ({
    ...rule(i),
    to: `https://example.com/${'x'.repeat(2_000)}${i}`,
  }))
  const kept = linkOf({ rules: large }).rules as unknown[]
  expect(kept.length).toBeGreaterThan(20)
  expect(parseRules(kept, { ownHosts: [], newId: () => crypto.randomUUID() }).ok).toBe(true)
})

it('columns that a person has mapped give a link, by name or by index', () => {
  const columns = ['Ziel', 'Kurz-Link', '', 'Ziel', 'Klicks']
  const keys = columnKeysOf(columns)
  expect(keys).toEqual(['ziel', 'kurzlink', '#2', '#3', 'klicks'])
  const record = recordOfRow(keys, ['example.com/a', 'https://k.example/Abc', 'Name', 'b', '12'])
  const reader = mappedReader({ url: 'Ziel', code: 1, title: 2, clicks: 'klicks' }, keys)
  expect(reader.convert(record)).toEqual({
    kind: 'link',
    url: 'https://example.com/a',
    code: 'Abc',
    formerUrl: 'k.example/Abc',
    sourceId: undefined,
    createdAt: undefined,
    clicksBefore: 12,
    columns: { title: 'Name' },
    losses: [],
  })
  expect(mappedReader({ url: 9 }, keys).convert(record)).toMatchObject({ kind: 'refused' })
})

it('a link with more losses than a row lists says so', () => {
  const geo = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`Q${i}`, 'no address']))
  const link = sourceReaders.sink.convert({ url: 'https://example.com/', slug: 'x', geo })
  expect(link).toMatchObject({ losses: expect.arrayContaining(['more that is not listed']) })
  expect(link.kind === 'link' && link.losses.length).toBe(31)
})

it('a row stays small when a record is large', () => {
  const large = `https://example.com/${'x,'.repeat(1_000_000)}`
  const tags = Array.from({ length: 100_000 }, (_, i) => `tag ${i}`)
  const to = `https://example.com/${'x'.repeat(20_000)}`
  const rules = Array.from({ length: 300 }, () => ({ to }))
  const names = ['short_code', 'former_url', 'title', 'note', 'forward_query', 'ends_at', 'id']
  const texts = Object.fromEntries(names.map((name) => [name, large]))
  for (const more of [{ tags }, { tags: large }]) {
    const row = own.convert({ original_url: large, ...texts, ...more, rules })
    expect(row.kind).toBe('link')
    expect(JSON.stringify(row).length).toBeLessThan(20_000)
  }
})

it('the bare address of a domain is refused, and a code with a dot is a code', () => {
  const root = { kind: 'refused', refusal: expect.stringContaining('bare domain') }
  const row = { shortLink: 'https://go.example.com/', url: 'https://example.com/' }
  expect(sourceReaders.dub.convert(row)).toMatchObject({ ...root, label: 'go.example.com' })
  expect(sourceReaders.dub.convert({ ...row, domain: 'd.sh', key: '_root' })).toMatchObject(root)
  expect(linkOf({ short_code: 'v1.2' })).toMatchObject({ code: 'v1.2', formerUrl: undefined })
})

it('each source has a section in the document about moving in', () => {
  const document = readFileSync(new URL('../../docs/moving-in.md', import.meta.url), 'utf8')
  const sections = [...document.matchAll(/^## (.+)$/gm)].map(([, title]) => title ?? '')
  for (const id of importSourceIds)
    expect(
      sections.some((title) => title.includes(importSource(id).name)),
      id,
    ).toBe(true)
})

it('no reader throws for any record', () => {
  const names = importSourceIds.flatMap((id) => {
    const file = {
      linktree: undefined,
      'tiny-cc': undefined,
      hoplet: undefined,
      archive: undefined,
    }
    if (id in file) return []
    return jsonRecords(id, JSON.parse(readFixture(`${id}.json`))).flatMap(Object.keys)
  })
  const more = [
    'archived',
    'rules',
    'tags',
    'short_id',
    'short_link',
    'original_url',
    'max_clicks',
    'title',
  ]
  const record = fc.dictionary(fc.constantFrom(...names, ...more), fc.anything(), { maxKeys: 40 })
  fc.assert(
    fc.property(record, fc.constantFrom(...importSourceIds), (fields, id) => {
      const { kind } = sourceReaders[id].convert(fields)
      return ['link', 'refused', 'bio', 'item'].includes(kind)
    }),
    { numRuns: 3_000 },
  )
  fc.assert(
    fc.property(fc.anything(), fc.constantFrom(...importSourceIds), (json, id) => {
      const records = sourceReaders[id].recordsOf?.(json)
      return records === undefined || Array.isArray(records)
    }),
    { numRuns: 3_000 },
  )
})

it('each source has a file, a token or a page, and a server of many people has a token', () => {
  for (const id of importSourceIds) {
    const { file, token, page, server } = importSource(id)
    expect([file, token, page].filter(Boolean).length, id).toBeGreaterThan(0)
    if (server !== undefined) expect(token, id).toBeDefined()
  }
  expect(apiSourceIds).toEqual([
    'bitly',
    'dub',
    'kutt',
    'shlink',
    'yourls',
    'rebrandly',
    'short-io',
  ])
})
