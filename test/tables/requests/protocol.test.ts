import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { DatabaseUnavailableError } from '#server/postgres/database.ts'
import { createTablesDoor } from '#server/tables/door.ts'
import { apiRules } from '#server/tables/rules.ts'
import { newApiKeyText } from '#server/tokens/api-key-text.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '../accounts.ts'

let server: TestServer
let ann: Account
let service: { headers: Record<string, string> }

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'business' })
  service = {
    headers: { apikey: server.serviceRoleKey, authorization: `Bearer ${server.serviceRoleKey}` },
  }
  for (const n of [1, 2, 3]) {
    await send(server, ann, 'POST', 'shortened_urls', {
      user_id: ann.id,
      original_url: `https://example.com/${n}`,
      short_code: `code-${n}`,
    })
  }
})
const get = (path: string, headers?: Record<string, string>) =>
  send(server, ann, 'GET', path, undefined, headers)

describe('errors are those of the protocol', () => {
  const cases: [string, string, number, string][] = [
    ['an unknown relation', 'nothing_here', 404, 'PGRST205'],
    ['a table of another schema', 'users', 404, 'PGRST205'],
    ['a deeper path', 'shortened_urls/1', 404, 'PGRST125'],
    ['an unknown column in select', 'shortened_urls?select=id,secret', 400, '42703'],
    ['an unknown column in a filter', 'shortened_urls?secret=eq.1', 400, '42703'],
    ['an unknown column in a tree', 'shortened_urls?or=(id.is.null,secret.eq.1)', 400, '42703'],
    ['an unknown column in order', 'shortened_urls?order=secret', 400, '42703'],
    ['a column of the base table', 'shortened_urls?select=is_custom', 400, '42703'],
    ['an unrelated relation', 'shortened_urls?select=id,commissions(*)', 400, 'PGRST200'],
    ['a relation that is not shown', 'shortened_urls?select=id,names(*)', 400, 'PGRST200'],
    ['a secret column of an embedded relation', 'popups?select=bio_pages(secret)', 400, '42703'],
    ['a filter on an embedded relation', 'shortened_urls?popups.title=eq.x', 400, 'PGRST108'],
    ['an aggregate', 'shortened_urls?select=count()', 400, 'PGRST123'],
    ['an aggregate of a column', 'shortened_urls?select=click_count.sum()', 400, 'PGRST123'],
    ['a filter without an operator', 'shortened_urls?id=5', 400, 'PGRST100'],
    ['an unknown operator', 'shortened_urls?id=xx.5', 400, 'PGRST100'],
    ['an operator that is not served', 'shortened_urls?original_url=match.^a', 400, 'PGRST100'],
    ['an open tree', 'shortened_urls?or=(id.eq.1', 400, 'PGRST100'],
    ['an empty tree', 'shortened_urls?or=()', 400, 'PGRST100'],
    [
      'a tree too deep',
      `shortened_urls?and=${'(and'.repeat(20)}(id.is.null)${')'.repeat(20)}`,
      400,
      'PGRST100',
    ],
    ['a pattern too wild', `shortened_urls?original_url=like.${'*a'.repeat(20)}`, 400, 'PGRST100'],
    ['an unknown cast', 'shortened_urls?select=id::regclass', 400, 'PGRST100'],
    ['a JSON path without a key', 'shortened_urls?select=id->>', 400, 'PGRST100'],
    ['SQL in an alias', 'shortened_urls?select=%22a%22%22;drop%22:id', 400, 'PGRST100'],
    ['a wrong type', 'shortened_urls?id=eq.five', 400, '22P02'],
    ['a NUL in a value', 'shortened_urls?original_url=eq.a%00b', 400, '22021'],
    ['a NUL in a looked-up code', 'shortened_urls?short_code=eq.a%00b', 400, '22021'],
    ['a negative limit', 'shortened_urls?limit=-1', 416, 'PGRST103'],
    ['a limit that is not a number', 'shortened_urls?limit=x', 400, 'PGRST100'],
    ['is with a value', 'shortened_urls?id=is.5', 400, 'PGRST100'],
    ['is.true on text', 'shortened_urls?short_code=is.true', 400, '42804'],
    ['like on an id', 'shortened_urls?id=like.a*', 404, '42883'],
  ]
  it.each(cases)('%s', async (_what, path, status, code) => {
    const answer = await get(path)
    expect(answer).toMatchObject({ status, body: { code } })
    expect(Object.keys(answer.body as object).sort()).toEqual([
      'code',
      'details',
      'hint',
      'message',
    ])
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('for methods, bodies and headers', async () => {
    const post = (body: unknown, headers?: Record<string, string>, path = 'popups') =>
      send(server, ann, 'POST', path, body, headers)
    expect(await send(server, ann, 'PUT', 'popups', {})).toMatchObject({
      status: 405,
      body: { code: 'PGRST105' },
    })
    expect(await post('{"title":')).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
    expect(await post('')).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
    expect(await post('5')).toMatchObject({ status: 400, body: { code: 'PGRST102' } })
    expect(await post([{ title: 'a' }, { title: 'b', position: 'top' }])).toMatchObject({
      status: 400,
      body: { code: 'PGRST102' },
    })
    expect(await post({ title: 'x'.repeat(70_000) })).toMatchObject({
      status: 413,
      body: { code: 'PGRST102' },
    })
    expect(await post({ nothing: 1 })).toMatchObject({ status: 400, body: { code: 'PGRST204' } })
    expect(await post({ title: 'a\u0000b' })).toMatchObject({
      status: 400,
      body: { code: '22P05' },
    })
    expect(await post({ title: 'a', is_active: 'perhaps' })).toMatchObject({
      status: 400,
      body: { code: '22P02' },
    })
    expect(await post({ title: ' ' })).toMatchObject({ status: 400, body: { code: '23514' } })
    expect(await post('<a/>', { 'content-type': 'text/xml' })).toMatchObject({ status: 415 })
    expect(await post({ title: 'a' }, { 'content-profile': 'auth' })).toMatchObject({
      status: 406,
      body: { code: 'PGRST106' },
    })
    // The name of PostgREST's default schema is ours, so that its clients work unchanged.
    for (const schema of ['public', 'api'])
      expect((await get('popups', { 'accept-profile': schema })).status).toBe(200)
    expect(await get('popups', { accept: 'text/html' })).toMatchObject({
      status: 406,
      body: { code: 'PGRST107' },
    })
    expect(await get('popups', { prefer: 'handling=strict, tx=rollback' })).toMatchObject({
      status: 400,
      body: { code: 'PGRST122' },
    })
    expect(await send(server, ann, 'DELETE', 'popups?id=is.null&limit=1')).toMatchObject({
      status: 400,
      body: { code: 'PGRST109' },
    })
  })

  it("refuses a change without a filter, even of one's own rows and by the service", async () => {
    for (const who of [ann, service]) {
      expect(await send(server, who, 'DELETE', 'shortened_urls')).toMatchObject({
        status: 400,
        body: { code: '21000' },
      })
      expect(await send(server, who, 'DELETE', 'shortened_urls?select=id&order=id')).toMatchObject({
        status: 400,
      })
      expect(
        await send(server, who, 'PATCH', 'shortened_urls', {
          original_url: 'https://evil.example/',
        }),
      ).toMatchObject({ status: 400 })
    }
    expect((await get('shortened_urls')).body).toHaveLength(3)
  })

  it('rolls back a change that a single-object request cannot answer', async () => {
    const path = 'shortened_urls?short_code=like.code-*'
    const single = { accept: 'application/vnd.pgrst.object+json', prefer: 'return=representation' }
    expect(await send(server, ann, 'DELETE', path, undefined, single)).toMatchObject({
      status: 406,
      body: { code: 'PGRST116', details: 'The result contains 3 rows' },
    })
    expect((await get('shortened_urls')).body).toHaveLength(3)
  })
})

describe('tokens', () => {
  const as = (headers: Record<string, string>) => send(server, { headers }, 'GET', 'shortened_urls')

  it('a sign-in is needed for private columns', async () => {
    for (const relation of [
      'profiles',
      'user_plans',
      'user_roles',
      'user_usage',
      'affiliate_codes',
      'commissions',
    ]) {
      expect(await send(server, undefined, 'GET', relation)).toMatchObject({
        status: 401,
        body: { code: '42501' },
      })
    }
    expect(await send(server, undefined, 'POST', 'shortened_urls', {})).toMatchObject({
      status: 401,
      body: { code: '42501' },
    })
    expect(await send(server, undefined, 'DELETE', 'shortened_urls?id=is.null')).toMatchObject({
      status: 401,
    })
  })

  it('are refused when they are invalid, and never treated as missing', async () => {
    const bad = [
      'nonsense',
      'a.b.c',
      'eyJhbGciOiJub25lIn0.eyJyb2xlIjoic2VydmljZV9yb2xlIiwiZXhwIjo5OTk5OTk5OTk5fQ.',
    ]
    for (const token of bad) {
      const answer = await as({ authorization: `Bearer ${token}` })
      expect(answer).toMatchObject({ status: 401, body: { code: 'PGRST301' } })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect(await as({ authorization: 'Basic YTpi' })).toMatchObject({
      status: 401,
      body: { code: 'PGRST301' },
    })
    const claims = {
      sub: ann.id,
      role: 'authenticated',
      aud: 'authenticated',
      session_id: randomUUID(),
    }
    const expired = await server.context.tokens.sign(
      { ...claims, session_id: ann.claims.session_id },
      -120,
    )
    expect(await as({ authorization: `Bearer ${expired}` })).toMatchObject({
      status: 401,
      body: { code: 'PGRST303' },
    })
    const noSession = await server.context.tokens.sign(claims, 60)
    expect(await as({ authorization: `Bearer ${noSession}` })).toMatchObject({
      status: 401,
      body: { code: 'PGRST303' },
    })
    const owner = await server.context.tokens.sign({ ...claims, role: 'hoplet_owner' }, 60)
    expect((await as({ authorization: `Bearer ${owner}` })).status).toBe(401)
  })
})

describe('answers', () => {
  it('carry ranges, preferences and locations', async () => {
    const list = await get('shortened_urls?select=id&limit=2', { prefer: 'count=exact' })
    expect(list.headers.get('content-range')).toBe('0-1/3')
    expect(list.headers.get('preference-applied')).toBe('count=exact')
    expect(list.status).toBe(206)
    expect((await get('shortened_urls', { range: '1-1' })).headers.get('content-range')).toBe(
      '1-1/*',
    )
    expect((await get('shortened_urls?limit=0')).headers.get('content-range')).toBe('*/*')
    const body = { user_id: ann.id, original_url: 'https://example.com/located' }
    const made = await send(server, ann, 'POST', 'shortened_urls', body, {
      prefer: 'return=headers-only',
    })
    expect(made).toMatchObject({ status: 201, body: undefined })
    const location = made.headers.get('location') ?? ''
    expect((await get(`${location.slice(1)}&select=original_url`)).body).toEqual([
      { original_url: 'https://example.com/located' },
    ])
    const gone = await send(server, ann, 'DELETE', location.slice(1), undefined, {
      prefer: 'count=exact',
    })
    expect(gone).toMatchObject({ status: 204 })
    expect(gone.headers.get('content-range')).toBe('*/1')
  })

  it('leave nulls out when asked to', async () => {
    const { body } = await get('shortened_urls?select=short_code,popup_id&short_code=eq.code-1', {
      accept: 'application/vnd.pgrst.array+json;nulls=stripped',
    })
    expect(body).toEqual([{ short_code: 'code-1' }])
  })

  it('to HEAD have no body', async () => {
    const response = await fetch(`${server.url}/rest/v1/shortened_urls`, {
      method: 'HEAD',
      headers: { ...ann.headers, prefer: 'count=exact' },
    })
    expect(response.headers.get('content-range')).toBe('0-2/3')
    expect(await response.text()).toBe('')
  })

  it('survive odd keys and values unchanged', async () => {
    const title = `'"\\; drop table app.popups; -- $1 \u2028 \u{1F600}`
    const made = await send(
      server,
      ann,
      'POST',
      'popups',
      { user_id: ann.id, title },
      { prefer: 'return=representation' },
    )
    expect(made.body).toMatchObject([{ title }])
    const found = await get(`popups?select=title&title=eq.${encodeURIComponent(title)}`)
    expect(found.body).toEqual([{ title }])
    const listed = await get(
      `popups?select=title&title=in.(${encodeURIComponent(`"${title.replaceAll(/["\\]/g, '\\$&')}"`)})`,
    )
    expect(listed.body).toEqual([{ title }])
  })
})

describe('limits', () => {
  it('let one address try 200 invented API keys, and ask the database for no more', async () => {
    const limited = await startTestServer({ rateLimits: true })
    try {
      const who = await makeAccount(limited)
      const made = await fetch(`${limited.url}/auth/v1/user/api-keys`, {
        method: 'POST',
        headers: { ...who.headers, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Own', scopes: ['links:read'], expires_in_days: 1 }),
      })
      const { key } = (await made.json()) as { key: string }
      const owner = { ...who, headers: { apikey: key } }
      expect((await send(limited, owner, 'GET', 'tags')).status).toBe(200)
      const asked = vi.spyOn(limited.context.database, 'transactionAs')
      const attempts = Array.from({ length: 260 }, async () => {
        const headers = { apikey: newApiKeyText().text }
        return (await fetch(`${limited.url}/rest/v1/tags`, { headers })).status
      })
      const statuses = await Promise.all(attempts)
      const queries = asked.mock.calls.filter(
        ([{ role, readOnly }]) => role === 'hoplet_auth' && readOnly,
      ).length
      const refused = statuses.filter((status) => status === 429).length
      expect(refused).toBeGreaterThan(0)
      expect(queries).toBe(statuses.length - refused)
      // The control: a key in memory, from the same address.
      expect((await send(limited, owner, 'GET', 'tags')).status).toBe(200)
    } finally {
      await limited.close()
    }
  })

  it('let one address count a link five times a minute, and guess 30 codes', async () => {
    const limited = await startTestServer({ rateLimits: true })
    try {
      const who = await makeAccount(limited)
      await send(limited, who, 'POST', 'shortened_urls', {
        user_id: who.id,
        original_url: 'https://example.com/',
        short_code: 'limited',
      })
      const visits: number[] = []
      for (let i = 0; i < 8; i++) {
        visits.push(
          (
            await send(limited, undefined, 'PATCH', 'shortened_urls?short_code=eq.limited', {
              click_count: 1,
            })
          ).status,
        )
      }
      expect(visits).toEqual([204, 204, 204, 204, 204, 429, 429, 429])
      const guesses: number[] = []
      for (let i = 0; i < 35; i++) {
        guesses.push(
          (
            await send(
              limited,
              undefined,
              'GET',
              `shortened_urls?select=id&short_code=eq.guess-${i}`,
            )
          ).status,
        )
      }
      expect(guesses.filter((status) => status === 200).length).toBeLessThanOrEqual(31)
      const last = await send(
        limited,
        undefined,
        'GET',
        'shortened_urls?select=id&short_code=eq.limited',
      )
      expect(last).toMatchObject({ status: 429, body: { message: 'Too many requests' } })
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await limited.close()
    }
  })

  it('answer 503 with Retry-After when the database does not answer', async () => {
    const database = {
      transactionAs: () => Promise.reject(new DatabaseUnavailableError('gone')),
      load: server.context.database.load,
      close: () => Promise.resolve(),
    }
    const door = createTablesDoor({ ...server.context, database, schema: 'api', rules: apiRules })
    const request = new Request('http://127.0.0.1/rest/v1/shortened_urls', { headers: ann.headers })
    const answer = await door(request, {
      address: '127.0.0.1',
      place: server.context.hosts.placeOf(request),
      requestId: 'r',
      log: server.context.log,
    })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toMatchObject({ code: 'PGRST001' })
  })
})
