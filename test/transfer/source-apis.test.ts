import { afterEach, expect, it } from 'vitest'
import type { SourceRecord } from '#domain/transfer/imported.ts'
import { sourceReaders } from '#domain/transfer/source-readers.ts'
import { type ApiSourceId, apiSourceIds } from '#domain/transfer/sources.ts'
import { createSourceAccess } from '#server/transfer/apis/source-access.ts'
import { pauseMsOf, readSourcePage } from '#server/transfer/apis/source-apis.ts'
import { SourceError } from '#server/transfer/apis/source-error.ts'
import { getFromEndpoint } from '#server/webhooks/post.ts'
import { convertAll, jsonRecords, readFixture } from './fixtures.ts'
import {
  makeRecords,
  type OddAnswer,
  type SourceServer,
  type SourceServerOptions,
  startSourceServer,
} from './source-servers.ts'

let server: SourceServer | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function start(
  source: ApiSourceId,
  records: readonly SourceRecord[],
  options?: SourceServerOptions,
): Promise<SourceServer> {
  server = await startSourceServer(source, records, options)
  return server
}

const accessTo = ({ origin }: SourceServer, token = 'good-token') =>
  createSourceAccess({
    getPublic: getFromEndpoint,
    origin,
    token,
    timeoutMs: 60_000,
    userAgent: 'Hoplet',
    allowsPrivate: true,
  })

/** Reads to the end. Each page is read by another access, as after a restart. */
async function readAll(source: ApiSourceId, from: SourceServer) {
  const records: SourceRecord[] = []
  let cursor: string | undefined
  let pages = 0
  let total: number | undefined
  do {
    const page = await readSourcePage(source, accessTo(from), cursor)
    records.push(...page.records)
    total ??= page.total
    cursor = page.cursor
    pages++
  } while (cursor !== undefined)
  return { records, pages, total }
}

const errorOf = async (reading: Promise<unknown>): Promise<SourceError> => {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof SourceError) return error
  throw new Error('no error of the source', { cause: error })
}

const codesOf = (source: ApiSourceId, records: readonly SourceRecord[]) =>
  convertAll(source, records).map((row) => (row.kind === 'link' ? row.code : row.kind))

it.each(apiSourceIds)('each link of %s is read once, page by page', async (source) => {
  const made = makeRecords(source, 205)
  const from = await start(source, made, { pageSize: source === 'dub' ? 100 : 40 })
  const { records, pages, total } = await readAll(source, from)
  expect(pages).toBeGreaterThan(2)
  expect(new Set(codesOf(source, records))).toEqual(new Set(codesOf(source, made)))
  expect(records).toHaveLength(205)
  if (total !== undefined) expect(total).toBe(205)
  expect(pauseMsOf(source)).toBeGreaterThan(0)
})

it.each(apiSourceIds)('an account of %s without links has an end', async (source) => {
  const from = await start(source, [])
  expect((await readAll(source, from)).records).toEqual([])
})

it.each(apiSourceIds)('rows from the API of %s are those of its fixture', async (source) => {
  const fixture = jsonRecords(source, JSON.parse(readFixture(`${source}.json`)))
  const from = await start(source, fixture)
  const { records } = await readAll(source, from)
  expect(convertAll(source, records)).toEqual(convertAll(source, fixture))
})

const faults: readonly [string, OddAnswer, Partial<SourceError>][] = [
  ['401', { status: 401 }, { kind: 'token' }],
  ['403', { status: 403 }, { kind: 'right' }],
  ['404', { status: 404 }, { kind: 'answer' }],
  ['a redirect', { status: 302, headers: { location: '/login' } }, { kind: 'answer' }],
  [
    '429 with seconds',
    { status: 429, headers: { 'retry-after': '17' } },
    { kind: 'wait', retryAfterSeconds: 17 },
  ],
  ['429', { status: 429 }, { kind: 'wait', retryAfterSeconds: undefined }],
  [
    '429 with a year',
    { status: 429, headers: { 'retry-after': '31536000' } },
    { kind: 'wait', retryAfterSeconds: 86_400 },
  ],
  ['500', { status: 500 }, { kind: 'unreachable' }],
  ['a page', { body: '<html>Log in</html>' }, { kind: 'answer' }],
  ['half of a JSON text', { body: '{"links": [{' }, { kind: 'answer' }],
  ['another JSON value', { body: '"hello"' }, { kind: 'answer' }],
]

it.each(apiSourceIds)(
  'each fault of %s is an error with its kind, and the page can be read again',
  async (source) => {
    const from = await start(source, makeRecords(source, 3))
    for (const [name, odd, expected] of faults) {
      from.odd.push(odd)
      const error = await errorOf(readSourcePage(source, accessTo(from)))
      expect({ kind: error.kind, retryAfterSeconds: error.retryAfterSeconds }, name).toEqual({
        retryAfterSeconds: undefined,
        ...expected,
      })
      expect(error.message).not.toContain('good-token')
    }
    expect((await readAll(source, from)).records).toHaveLength(3)
  },
)

it('a date in Retry-After is a pause until then', async () => {
  const from = await start('kutt', [])
  const date = new Date(Date.now() + 120_000).toUTCString()
  from.odd.push({ status: 429, headers: { 'retry-after': date } })
  const { retryAfterSeconds } = await errorOf(readSourcePage('kutt', accessTo(from)))
  expect(retryAfterSeconds).toBeGreaterThan(0)
  expect(retryAfterSeconds).toBeLessThanOrEqual(121)
})

it.each(apiSourceIds)('a wrong token of %s is refused', async (source) => {
  const from = await start(source, makeRecords(source, 1))
  const { kind } = await errorOf(readSourcePage(source, accessTo(from, 'bad-token')))
  expect(['token', 'right']).toContain(kind)
})

it.each(apiSourceIds)(
  'a token of %s that expires in the middle ends the reading there, and a new one goes on',
  async (source) => {
    const made = makeRecords(source, 205)
    const from = await start(source, made, { pageSize: source === 'dub' ? 100 : 40 })
    const first = await readSourcePage(source, accessTo(from))
    from.requestsLeft = 0
    const { kind } = await errorOf(readSourcePage(source, accessTo(from), first.cursor))
    expect(['token', 'right']).toContain(kind)
    from.requestsLeft = Number.POSITIVE_INFINITY
    const records = [...first.records]
    for (let { cursor } = first; cursor !== undefined;) {
      const page = await readSourcePage(source, accessTo(from), cursor)
      records.push(...page.records)
      cursor = page.cursor
    }
    expect(new Set(codesOf(source, records))).toEqual(new Set(codesOf(source, made)))
    expect(records).toHaveLength(205)
  },
)

it('a cursor that nobody wrote begins at the start', async () => {
  const from = await start('kutt', makeRecords('kutt', 3))
  for (const cursor of ['', 'x', '[]', '{"skip":-1}', '{"skip":"1"}', 'null'])
    expect((await readSourcePage('kutt', accessTo(from), cursor)).records).toHaveLength(3)
})

it('archived links of Bitly and Dub come too', async () => {
  for (const source of ['bitly', 'dub'] as const) {
    const from = await start(source, makeRecords(source, 20))
    const rows = convertAll(source, (await readAll(source, from)).records)
    const archived = rows.filter((row) => row.kind === 'link' && row.columns.archived_at)
    expect(archived).toHaveLength(2)
    await from.close()
  }
})

it('raw control characters in an answer of Bitly are read as those of a title', async () => {
  const [record] = makeRecords('bitly', 1)
  const from = await start('bitly', [{ ...record, title: 'Bell\u0007 and "quotes\\"\nhere' }])
  const { records } = await readAll('bitly', from)
  expect(records[0]?.['title']).toBe('Bell\u0007 and "quotes\\"\nhere')
  expect(sourceReaders.bitly.convert(records[0] ?? {})).toMatchObject({
    columns: { title: 'Bell and "quotes\\" here' },
  })
})

it('an older Shlink that names no links with rules is asked for each, and one that has none answers 404', async () => {
  const made = makeRecords('shlink', 3).map(({ hasRedirectRules: _has, ...record }) => record)
  const redirectRules = [
    {
      longUrl: 'https://example.com/ios',
      priority: 1,
      conditions: [{ type: 'device', matchValue: 'ios' }],
    },
  ]
  const from = await start('shlink', [{ ...made[0], redirectRules }, ...made.slice(1)])
  from.odd.push(undefined, undefined, { status: 404 })
  const { records } = await readAll('shlink', from)
  expect(from.requests.filter((path) => path.includes('redirect-rules'))).toHaveLength(3)
  expect(convertAll('shlink', records)).toMatchObject([
    { rules: [{ when: [{ fact: 'system', is: ['ios'] }], to: 'https://example.com/ios' }] },
    { losses: [] },
    { losses: [] },
  ])
})

it('a pause between the rules of a page of Shlink keeps those that were read', async () => {
  const made = makeRecords('shlink', 6).map((record) => ({ ...record, hasRedirectRules: true }))
  const from = await start('shlink', made)
  from.odd.push(undefined, undefined, undefined, { status: 429 })
  const first = await readSourcePage('shlink', accessTo(from))
  expect(codesOf('shlink', first.records)).toEqual(['item-0', 'item-1'])
  from.odd.push(undefined, { status: 429, headers: { 'retry-after': '9' } })
  const error = await errorOf(readSourcePage('shlink', accessTo(from), first.cursor))
  expect(error).toMatchObject({ kind: 'wait', retryAfterSeconds: 9 })
  const second = await readSourcePage('shlink', accessTo(from), first.cursor)
  expect(codesOf('shlink', second.records)).toEqual(['item-2', 'item-3', 'item-4', 'item-5'])
  expect(second.cursor).toBeUndefined()
})

it('the addresses of people in an answer of YOURLS are dropped while it is read', async () => {
  const from = await start('yourls', makeRecords('yourls', 3))
  const { records } = await readAll('yourls', from)
  expect(records).toHaveLength(3)
  expect(JSON.stringify(records)).not.toContain('203.0.113')
})

it('another workspace of Rebrandly follows the key behind a blank', async () => {
  const from = await start('rebrandly', makeRecords('rebrandly', 1))
  const page = await readSourcePage('rebrandly', accessTo(from, 'good-token w123'))
  expect(page.records).toHaveLength(1)
})

it('a source that sends the same page again and again is stopped', async () => {
  const [record] = makeRecords('rebrandly', 1)
  const from = await start('rebrandly', [])
  const body = JSON.stringify([record])
  from.odd.push({ body: '{"count":9}' }, { body })
  const first = await readSourcePage('rebrandly', accessTo(from))
  from.odd.push({ body })
  const error = await errorOf(readSourcePage('rebrandly', accessTo(from), first.cursor))
  expect(error.kind).toBe('answer')
})

it('an answer of more than 8 MB is refused, and one of 7 MB is read', async () => {
  const from = await start('kutt', [])
  const bodyOf = (bytes: number) =>
    JSON.stringify({ total: 0, data: [], filler: 'x'.repeat(bytes) })
  from.odd.push({ body: bodyOf(7 * 1024 * 1024) }, { body: bodyOf(9 * 1024 * 1024) })
  expect((await readSourcePage('kutt', accessTo(from))).records).toEqual([])
  const error = await errorOf(readSourcePage('kutt', accessTo(from)))
  expect(error).toMatchObject({ kind: 'answer', message: expect.stringContaining('8 MB') })
})

it('a private or plain http address is refused, and a server that is gone is unreachable', async () => {
  const options = { getPublic: getFromEndpoint, token: 't', timeoutMs: 60_000, userAgent: 'Hoplet' }
  const origins = ['http://127.0.0.1:9', 'https://127.0.0.1:9999', 'https://shlink.internal']
  for (const origin of origins) {
    const access = createSourceAccess({ ...options, origin })
    expect((await errorOf(readSourcePage('shlink', access))).kind).toBe('unreachable')
  }
  const from = await start('shlink', makeRecords('shlink', 1))
  const access = accessTo(from)
  expect((await readSourcePage('shlink', access)).records).toHaveLength(1)
  await from.close()
  expect((await errorOf(readSourcePage('shlink', access))).kind).toBe('unreachable')
})

it.each([
  ['https://sho.example.com/yourls-api.php', 'https://sho.example.com'],
  ['sho.example.com/', 'https://sho.example.com'],
  [' https://example.com/short/rest/v3/ ', 'https://example.com/short'],
  ['https://kutt.example.com/api/v2', 'https://kutt.example.com'],
  ['https://example.com/short', 'https://example.com/short'],
])('the address %s of a server is read as %s', (origin, read) => {
  const access = createSourceAccess({
    getPublic: getFromEndpoint,
    origin,
    token: ' t ',
    timeoutMs: 1_000,
    userAgent: 'Hoplet',
  })
  expect(access).toMatchObject({ origin: read, token: 't' })
})
