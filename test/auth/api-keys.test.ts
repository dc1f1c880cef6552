import { randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import type { ApiKey } from '#domain/access/api-keys.ts'
import { isApiKeyText, newApiKeyText } from '#server/tokens/api-key-text.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { recordLog } from '#test/record-log.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { makeApp, tokensFor } from './oauth/oauth-app.ts'
import { signIn } from './requests.ts'

// Settings > API keys: the calls that a key opens, those that it never opens, and its end.

type Created = ApiKey & { key: string }

let server: TestServer
let owner: TestUser
beforeAll(async () => {
  server = await sharedServer()
})
beforeEach(async () => {
  owner = await makeUser(server, { plan: 'business' })
})

async function call(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}
/** Asks until an answer is 429. */
async function untilRefused(ask: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answers = await Promise.all(Array.from({ length: 100 }, ask))
    const refused = answers.find(({ status }) => status === 429)
    if (refused) return refused
  }
}
const manage = (method: string, path = '', body?: unknown, who = owner) =>
  call(method, `/auth/v1/user/api-keys${path}`, who.headers, body)
const make = async (scopes: string[], more: object = {}, who = owner): Promise<Created> => {
  const fields = { name: 'Test', scopes, expires_in_days: null, ...more }
  const { status, body } = await manage('POST', '', fields, who)
  expect(status).toBe(201)
  return body
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const table = (key: string, path: string, method = 'GET', body?: unknown) =>
  call(method, `/rest/v1/${path}`, bearer(key), body)

it('an API key is shown once, listed without its secret, and revoked', async () => {
  const made = await make(['links:write', 'links:read'], {
    name: '  Deploy 部署 ',
    expires_in_days: 30,
  })
  expect(isApiKeyText(made.key)).toBe(true)
  expect(made).toMatchObject({
    name: 'Deploy 部署',
    hint: made.key.slice(4, 8),
    last_used_at: null,
  })
  expect(made.scopes).toEqual(['links:read', 'links:write'])
  expect((Date.parse(made.expires_at ?? '') - Date.now()) / 86_400_000).toBeCloseTo(30, 0)
  const { key, ...shown } = made
  const mails = `select data from app.mail_outbox where template = 'api-key-created' and recipient = $1`
  expect(await server.sql(mails, [owner.email])).toEqual([
    { data: { hint: made.hint, scopes: made.scopes } },
  ])
  expect((await manage('GET')).body).toEqual([shown])
  expect(await manage('DELETE', `/${made.id}`, undefined, await makeUser(server))).toMatchObject({
    status: 404,
  })
  expect((await table(key, 'shortened_urls')).status).toBe(200)
  expect((await manage('DELETE', `/${made.id}`)).status).toBe(204)
  expect((await manage('DELETE', `/${made.id}`)).status).toBe(404)
  expect((await manage('GET')).body).toEqual([])
  await expect
    .poll(async () => {
      const { body } = await call('GET', '/auth/v1/user/events', owner.headers)
      return (body as { event: string }[]).map(({ event }) => event)
    })
    .toEqual(expect.arrayContaining(['api key created', 'api key revoked']))
})

it.each([
  [{ name: ' ' }, 'name: Give the key a name'],
  [{ name: 'x'.repeat(101) }, 'name: A name can have 100 characters'],
  [{ name: 'a\nb' }, 'name: The name must be one line'],
  [{ scopes: [] }, 'scopes: Choose at least one permission'],
  [{ scopes: ['email'] }, /^scopes\.0: scopes can be links:read, /],
  [{ scopes: ['admin'] }, /^scopes\.0: scopes can be links:read, /],
  [{ expires_in_days: 0 }, 'expires_in_days: expires_in_days must be at least 1'],
  [{ expires_in_days: 9_999 }, 'expires_in_days: expires_in_days can be at most 3650'],
  [
    { expires_in_days: undefined },
    'expires_in_days: expires_in_days must be a whole number, or null',
  ],
])('an API key refuses %j and says why', async (wrong, message) => {
  const fields = { name: 'Test', scopes: ['links:read'], expires_in_days: null, ...wrong }
  const { status, body } = await manage('POST', '', fields)
  expect([status, body.msg]).toEqual([400, expect.stringMatching(message)])
})

it('an API key is one of 25 at most, also when many are made at once', async () => {
  const fields = { name: 'Test', scopes: ['links:read'], expires_in_days: 1 }
  await server.sql(
    `insert into auth.api_keys (user_id, name, hash, hint, scope)
      select $1::uuid, 'k', sha256(convert_to($1::text || n, 'utf8')), 'abcd', 'links:read' from generate_series(1, 22) n`,
    [owner.id],
  )
  const answers = await Promise.all(Array.from({ length: 6 }, () => manage('POST', '', fields)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    201, 201, 201, 409, 409, 409,
  ])
  const refused = answers.find(({ status }) => status === 409)
  expect(refused?.body.msg).toBe('An account can have 25 API keys. Revoke one first.')
})

it('an API key opens the table door, its procedures and functions as far as its scopes go, within the plan', async () => {
  const link = await makeLink(server, owner)
  const other = await makeLink(server, await makeUser(server))
  const reader = await make(['links:read'])
  const { body } = await table(reader.key, 'shortened_urls?select=id')
  expect(body).toEqual([{ id: link.id }])
  const row = { user_id: owner.id, original_url: 'https://example.com/' }
  for (const [method, path, sent] of [
    ['POST', 'shortened_urls', row],
    ['PATCH', `shortened_urls?id=eq.${link.id}`, { original_url: 'https://example.com/x' }],
    ['DELETE', `shortened_urls?id=eq.${link.id}`, undefined],
    ['GET', 'popups', undefined],
    ['GET', 'profiles', undefined],
    ['GET', 'user_usage', undefined],
    [
      'POST',
      'rpc/click_report',
      { _scope: 'account', _by: 'total', _from: '2026-01-01', _to: '2026-01-02' },
    ],
    ['POST', 'rpc/create_links', { _links: [row] }],
  ] as const) {
    const answer = await table(reader.key, path, method, sent)
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'insufficient_scope'])
  }
  const writer = await make(['links:read', 'links:write'])
  expect((await table(writer.key, 'shortened_urls', 'POST', row)).status).toBe(201)
  expect((await table(writer.key, `shortened_urls?id=eq.${other.id}`, 'DELETE')).status).toBe(204)
  expect(await server.sql('select from app.shortened_urls where id = $1', [other.id])).toHaveLength(
    1,
  )
  const analyst = await make(['analytics:read'])
  const clicks = '/functions/v1/click-log?scope=account'
  expect((await call('GET', clicks, bearer(analyst.key))).status).toBe(200)
  expect((await call('GET', clicks, bearer(writer.key))).status).toBe(403)
  expect(
    (await call('POST', '/functions/v1/customer-portal', bearer(analyst.key), {})).status,
  ).toBe(403)

  const free = await makeUser(server)
  const freeKey = await make(['links:read', 'links:write', 'analytics:read'], {}, free)
  expect((await call('GET', clicks, bearer(freeKey.key))).status).toBe(403)
  const freeRow = { user_id: free.id, original_url: 'https://example.com/' }
  await server.sql(
    `insert into app.user_usage (user_id, total_shortened_urls) values ($1, 48)
      on conflict (user_id) do update set total_shortened_urls = 48`,
    [free.id],
  )
  const many = await Promise.all(
    Array.from({ length: 6 }, () => table(freeKey.key, 'shortened_urls', 'POST', freeRow)),
  )
  expect(many.filter(({ status }) => status === 201)).toHaveLength(2)
})

it('an API key works as the apikey header, and an admin’s key sees the admin’s own links only', async () => {
  const admin = await makeUser(server, { role: 'admin' })
  const made = await make(['links:read', 'analytics:read'], {}, admin)
  await makeLink(server, owner)
  const answer = await call('GET', '/rest/v1/shortened_urls?select=id', { apikey: made.key })
  expect([answer.status, answer.body]).toEqual([200, []])
  const asked = { _scope: 'account', _id: owner.id, _from: '2026-01-01', _to: '2026-01-02' }
  expect((await table(made.key, 'rpc/click_hits', 'POST', asked)).status).toBe(404)
})

it('an API key never opens the auth door, media or the keys themselves', async () => {
  const { key, id } = await make(['links:read', 'links:write', 'bio:write', 'bio:read'])
  for (const [method, path] of [
    ['GET', '/auth/v1/user'],
    ['PUT', '/auth/v1/user'],
    ['GET', '/auth/v1/user/api-keys'],
    ['POST', '/auth/v1/user/api-keys'],
    ['DELETE', `/auth/v1/user/api-keys/${id}`],
    ['GET', '/auth/v1/user/export'],
    ['GET', '/auth/v1/user/sessions'],
    ['POST', '/auth/v1/logout'],
    ['GET', '/auth/v1/oauth/userinfo'],
    ['GET', '/auth/v1/admin/users'],
    ['POST', '/media/uploads'],
    ['GET', '/functions/v1/webhooks'],
    ['POST', '/functions/v1/generate-popup-content'],
  ] as const) {
    const { status } = await call(method, path, bearer(key), method === 'GET' ? undefined : {})
    expect([path, [401, 403].includes(status)]).toEqual([path, true])
  }
  expect((await table(key, 'shortened_urls')).status).toBe(200)
})

it('an API key stops at once everywhere when it is revoked, expires, or its person is banned or deleted', async () => {
  const second = await startTestServer({ databaseUrl: server.databaseUrl })
  try {
    const at = (base: string, key: string) =>
      fetch(`${base}/rest/v1/shortened_urls?select=id`, { headers: bearer(key) })
    const bans = `update auth.users set banned_until = now() + interval '1 day' where id = $1`
    const ends: Record<string, (key: string, person: TestUser) => Promise<unknown>> = {
      revoked: (id, person) => manage('DELETE', `/${id}`, undefined, person),
      expired: (id) =>
        server.sql('update auth.api_keys set expires_at = now() where id = $1', [id]),
      banned: (_, { id }) => server.sql(bans, [id]),
      deleted: (_, { id }) => server.sql('delete from auth.users where id = $1', [id]),
    }
    for (const [name, end] of Object.entries(ends)) {
      const person = await makeUser(server, { plan: 'pro' })
      const { key, id } = await make(['links:read', 'analytics:read'], {}, person)
      for (const base of [server.url, second.url])
        expect([name, (await at(base, key)).status]).toEqual([name, 200])
      await end(id, person)
      for (const base of [server.url, second.url]) {
        const refused = await at(base, key)
        expect([refused.status, await refused.json()]).toMatchObject([401, { code: 'PGRST303' }])
      }
      const clicks = await call('GET', '/functions/v1/click-log?scope=account', bearer(key))
      expect([name, clicks.status]).toEqual([name, 401])
    }
  } finally {
    await second.close()
  }
})

it(
  'an API key notes when and from which country it was used, at most once a minute',
  { tags: ['extended'] },
  async () => {
    const { key, id } = await make(['links:read'])
    const { apiKeys } = server.context.tokens
    await table(key, 'shortened_urls')
    const read = async () =>
      (await manage('GET')).body.find((each: ApiKey) => each.id === id) as ApiKey
    await expect.poll(async () => (await read()).last_used_at).not.toBeNull()
    const first = await read()
    expect(first.last_used_country).toBeNull()
    apiKeys.recordUse(id, '8.8.8.8')
    await server.sql(
      `update auth.api_keys set last_used_at = last_used_at - interval '2 minutes' where id = $1`,
      [id],
    )
    await expect.poll(async () => (await read()).last_used_country).toBe('US')
  },
)

it('an API key answers with the remaining rate limit of the key, and 429 with Retry-After when none is left', async () => {
  const limited = await startTestServer({ rateLimits: true })
  try {
    const person = await makeUser(limited)
    const response = await fetch(`${limited.url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: { ...person.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'a',
        scopes: ['links:read', 'analytics:read'],
        expires_in_days: 1,
      }),
    })
    const { key } = (await response.json()) as Created
    const ask = (path: string) => fetch(`${limited.url}${path}`, { headers: bearer(key) })
    const first = await ask('/rest/v1/shortened_urls?select=id')
    expect(first.headers.get('ratelimit-policy')).toBe('"api-key";q=200;w=20')
    expect(first.headers.get('ratelimit')).toBe('"api-key";r=199;t=1')
    const refused = await untilRefused(() => ask('/rest/v1/shortened_urls?select=id&limit=1'))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit')).toMatch(/^"api-key";r=0;t=\d+$/)
    // Another credential of the same address is not held back by it.
    const mine = await fetch(`${limited.url}/rest/v1/shortened_urls?select=id`, {
      headers: person.headers,
    })
    expect(mine.status).toBe(200)
    expect(mine.headers.get('ratelimit')).toMatch(/^"account";r=\d+;t=\d+$/)
  } finally {
    await limited.close()
  }
})

it(
  'an API key gives all keys and apps of one account 600 requests a minute together, and leaves its owner theirs',
  { tags: ['extended'] },
  async () => {
    const limited = await startTestServer({ rateLimits: true, trustedProxies: 1 })
    // From everywhere, so that no address is held back.
    let address = 0
    const from = () => ({ 'x-forwarded-for': `198.18.${++address >> 8}.${address & 255}` })
    try {
      const person = await makeUser(limited)
      const other = await makeUser(limited)
      const makeKey = async ({ headers }: TestUser) => {
        const body = { name: 'a', scopes: ['links:read'], expires_in_days: 1 }
        const response = await fetch(`${limited.url}/auth/v1/user/api-keys`, {
          method: 'POST',
          headers: { ...headers, ...from(), 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        return bearer(((await response.json()) as Created).key)
      }
      const app = await makeApp(limited)
      const { access_token: token } = await tokensFor(limited, person, app, 'links:read')
      const programs = [
        await makeKey(person),
        await makeKey(person),
        await makeKey(person),
        { apikey: limited.anonKey, authorization: `Bearer ${token}` },
      ]
      const ask = async (headers: Record<string, string>) =>
        fetch(`${limited.url}/rest/v1/shortened_urls?select=id&limit=1`, {
          headers: { ...headers, ...from() },
        })
      // The keys alone would take 800 at once.
      let asked = 0
      const refused = await untilRefused(() => ask(programs[asked++ % 4] ?? {}))
      expect(refused.headers.get('retry-after')).toBe('1')
      const byKey = await untilRefused(() => ask(programs[0] ?? {}))
      expect(byKey.headers.get('ratelimit')).toMatch(/^"account";r=0;t=\d+$/)
      expect((await ask(person.headers)).status).toBe(200)
      expect((await ask(await makeKey(other))).status).toBe(200)

      // Sessions of the person themselves share one bucket too.
      const { body } = await signIn(limited, person.email, person.password, '198.19.0.1')
      const second = { ...person.headers, authorization: `Bearer ${String(body['access_token'])}` }
      await untilRefused(() => ask(second))
      await untilRefused(() => ask(person.headers))
    } finally {
      await limited.close()
    }
  },
)

it(
  'an API key is not found by guessing: 1,000 wrong keys, of which none costs a query unless it is well formed',
  { tags: ['extended'] },
  async () => {
    const { key } = await make(['links:read'])
    const wrong = Array.from({ length: 998 }, (_, n) => {
      if (n % 2 === 0) return newApiKeyText().text
      const place = 4 + (n % 49)
      const other = key[place] === 'x' ? 'y' : 'x'
      return key.slice(0, place) + other + key.slice(place + 1)
    })
    wrong.push('hop_', `hop_${randomBytes(4_000).toString('hex')}`)
    const statuses = new Set<number>()
    for (let from = 0; from < wrong.length; from += 50)
      for (const { status } of await Promise.all(
        wrong.slice(from, from + 50).map((each) => table(each, 'shortened_urls')),
      ))
        statuses.add(status)
    expect([...statuses]).toEqual([401])
    expect((await table(key, 'shortened_urls')).status).toBe(200)
  },
)

it('an API key is in no log, no export and no row', async () => {
  const { log, lines } = recordLog()
  const logged = await startTestServer({}, {}, log)
  try {
    const person = await makeUser(logged)
    const response = await fetch(`${logged.url}/auth/v1/user/api-keys`, {
      method: 'POST',
      headers: { ...person.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Printed', scopes: ['links:read'], expires_in_days: 1 }),
    })
    const { key } = (await response.json()) as Created
    await fetch(`${logged.url}/rest/v1/shortened_urls`, { headers: bearer(key) })
    await fetch(`${logged.url}/rest/v1/shortened_urls`, { headers: bearer(newApiKeyText().text) })
    const exported = await (
      await fetch(`${logged.url}/auth/v1/user/export`, { headers: person.headers })
    ).text()
    expect(exported).toContain('"name": "Printed"')
    const rows = await logged.sql<{ row: string }>('select k::text as row from auth.api_keys k')
    const logText = JSON.stringify(lines)
    expect(logText).toContain('api key created')
    for (const text of [exported, logText, JSON.stringify(rows)])
      expect(text).not.toContain(key.slice(4, 20))
  } finally {
    await logged.close()
  }
})
