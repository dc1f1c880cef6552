import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeApp, tokensFor } from '#test/auth/oauth/oauth-app.ts'
import { makeLink, makeUser, type TestLink, type TestUser } from '#test/factories.ts'
import { recordLog } from '#test/record-log.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'

// Reports of links that owners share with people without an account.

const { log, lines } = recordLog()
let server: TestServer
let guessed: TestServer
beforeAll(async () => {
  server = await startTestServer({}, {}, log)
  guessed = await startTestServer({ rateLimits: true, trustedProxies: 1 })
})
afterAll(() => Promise.all([server.close(), guessed.close()]))

interface Shared {
  id: string
  token: string
  enabled: boolean
  has_password: boolean
  expires_at: string | null
}

function send(
  at: TestServer,
  who: Pick<TestUser, 'headers'>,
  method: string,
  query: string,
  body?: object,
  more: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${at.url}/rest/v1/shared_reports${query}`, {
    method,
    headers: {
      ...who.headers,
      'content-type': 'application/json',
      prefer: 'return=representation',
      ...more,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

async function share(
  link: TestLink,
  owner: TestUser,
  wanted: object = {},
  at: TestServer = server,
): Promise<Shared> {
  const response = await send(at, owner, 'POST', '', { link_id: link.id, ...wanted })
  expect([response.status, response.ok ? '' : await response.clone().text()]).toEqual([201, ''])
  const [row] = (await response.json()) as Shared[]
  if (!row) throw new Error('no row')
  return row
}

async function makeShared(wanted: object = {}, at: TestServer = server) {
  const owner = await makeUser(at, { plan: 'pro' })
  const link = await makeLink(at, owner)
  return { owner, link, report: await share(link, owner, wanted, at) }
}

const pathOf = ({ token }: Shared) => `/analytics/shared/${token}`

interface Page {
  status: number
  text: string
  headers: Headers
}

async function open(path: string, init: RequestInit = {}, at: TestServer = server): Promise<Page> {
  const response = await fetch(at.url + path, { redirect: 'manual', ...init })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const give = (report: Shared, password: string, at = server, address = '203.0.113.1') =>
  open(
    pathOf(report),
    {
      method: 'POST',
      headers: {
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': address,
      },
      body: new URLSearchParams({ password }).toString(),
    },
    at,
  )

it('a shared report shows clicks by day and the top values of one link, and nothing about the account', async () => {
  const { owner, link, report } = await makeShared()
  const other = await makeLink(server, owner)
  await server.sql('update app.profiles set display_name = $2 where id = $1', [
    owner.id,
    'Ada Lovelace',
  ])
  for (const code of [link.short_code, other.short_code])
    await visit(server.url, `/${code}`, { headers: { referer: 'https://news.example/a' } })
  await vi.waitFor(async () => expect(await countOf(server.sql, link.id)).toBe(1), 60_000)
  expect(report.token).toMatch(/^[A-Za-z0-9_-]{43}$/)
  const { status, text, headers } = await open(pathOf(report))
  expect(status).toBe(200)
  for (const shown of [link.short_code, 'news.example', 'Clicks by day: 1 in all', 'Desktop'])
    expect(text).toContain(shown)
  for (const hidden of [
    owner.email,
    owner.id,
    link.id,
    'Lovelace',
    other.short_code,
    'example.com',
  ])
    expect(text).not.toContain(hidden)
  expect(text).not.toContain('<script')
  expect(headers.get('x-robots-tag')).toBe('noindex')
  expect(headers.get('referrer-policy')).toBe('same-origin')
  expect(headers.get('cache-control')).toBe('no-store')
  expect((await open(`${pathOf(report)}?days=7`)).text).toContain('aria-current="page">7 days')
  expect(JSON.stringify(lines)).not.toContain(report.token)
  expect(JSON.stringify(lines)).toContain('/analytics/shared/…')
})

it('a shared report has a new address after it was deleted and shared again', async () => {
  const { owner, link, report } = await makeShared()
  expect((await send(server, owner, 'POST', '', { link_id: link.id })).status).toBe(409)
  expect((await send(server, owner, 'DELETE', `?id=eq.${report.id}`)).status).toBe(200)
  const again = await share(link, owner)
  expect(again.token).not.toBe(report.token)
  expect((await open(pathOf(report))).status).toBe(404)
  expect((await open(pathOf(again))).status).toBe(200)
})

describe('a shared report answers 404 as for an address that was never there', () => {
  const changes: [string, (owner: TestUser, link: TestLink) => [string, unknown[]]][] = [
    [
      'when it is off',
      (_, { id }) => ['update app.shared_reports set enabled = false where link_id = $1', [id]],
    ],
    [
      'when it has expired',
      (_, { id }) => [
        `update app.shared_reports set expires_at = now() - interval '1 second' where link_id = $1`,
        [id],
      ],
    ],
    [
      'when the plan shows no clicks any more',
      ({ id }) => [`update app.user_plans set plan_type = 'free' where user_id = $1`, [id]],
    ],
    [
      'when the link is blocked',
      (_, { short_code }) => [
        `insert into app.blocks (kind, value) values ('link', $1)`,
        [short_code],
      ],
    ],
    [
      'when the link is deleted',
      (_, { id }) => ['delete from app.shortened_urls where id = $1', [id]],
    ],
    ['when the account is deleted', ({ id }) => ['delete from auth.users where id = $1', [id]]],
  ]
  it.each(changes)('%s', async (_what, change) => {
    const { owner, link, report } = await makeShared()
    expect((await open(pathOf(report))).status).toBe(200)
    await server.sql(...change(owner, link))
    const gone = await open(pathOf(report))
    const never = await open(`/analytics/shared/${'A'.repeat(43)}`)
    expect([gone.status, gone.text]).toEqual([404, never.text])
    expect(gone.text).toContain('This report is not open')
    expect((await give(report, 'x')).status).toBe(404)
  })
})

describe('a password', () => {
  it('opens the report, and is stored and answered as a hash only', async () => {
    const { owner, report, link } = await makeShared({ password: 'open sesame' })
    expect(report).toMatchObject({ has_password: true })
    expect(report).not.toHaveProperty('password')
    const closed = await open(pathOf(report))
    expect(closed.text).toContain('This report has a password')
    expect(closed.text).not.toContain(link.short_code)
    const refused = await give(report, 'open barley')
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
    const right = await give(report, 'open sesame')
    expect([right.status, right.headers.get('location')]).toEqual([303, pathOf(report)])
    const cookie = right.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; Path=\/analytics\/shared\/[\w-]{43}; HttpOnly; SameSite=Lax$/)
    const withCookie = { headers: { cookie: cookie.split(';')[0] ?? '' } }
    expect((await open(pathOf(report), withCookie)).text).toContain(link.short_code)
    // Another password voids the cookie.
    const query = `?link_id=eq.${link.id}`
    await send(server, owner, 'PATCH', query, { password: 'open rye' })
    expect((await open(pathOf(report), withCookie)).text).not.toContain(link.short_code)
    await send(server, owner, 'PATCH', query, { expires_at: '2999-01-01T00:00:00Z' })
    expect((await open(pathOf(report))).text).toContain('This report has a password')
    await send(server, owner, 'PATCH', query, { password: null })
    expect((await open(pathOf(report))).text).toContain(link.short_code)
    const [row] = await server.sql('select * from app.shared_reports where id = $1', [report.id])
    expect(row).toMatchObject({ password: null, password_hash: null, password_version: null })
    expect(JSON.stringify(lines)).not.toContain('open sesame')
  })

  it('is in no stored answer to a repeated request', async () => {
    const owner = await makeUser(server, { plan: 'pro' })
    const link = await makeLink(server, owner)
    const body = { link_id: link.id, password: 'kept nowhere' }
    const key = { 'idempotency-key': 'k1' }
    for (let time = 0; time < 2; time++)
      expect((await send(server, owner, 'POST', '', body, key)).status).toBe(201)
    const kept = await server.sql('select * from app.idempotent_requests where user_id = $1', [
      owner.id,
    ])
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain('kept nowhere')
  })

  it('has at most 1,024 bytes, and can be neither read nor filtered by', async () => {
    const { owner, report } = await makeShared({ password: 'x'.repeat(1_024) })
    expect((await give(report, 'x'.repeat(1_024))).status).toBe(303)
    const query = `?id=eq.${report.id}`
    for (const password of ['x'.repeat(1_025), 'ü'.repeat(513), 7, { a: 1 }]) {
      const refused = await send(server, owner, 'PATCH', query, { password })
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { message: 'Passwords are 1 to 1,024 bytes long' },
      ])
    }
    expect(
      (await send(server, owner, 'PATCH', query, { password: 'x'.repeat(70_000) })).status,
    ).toBe(413)
    for (const asked of ['?select=password', '?password=is.null', '?order=password'])
      expect((await send(server, owner, 'GET', asked)).status).toBeGreaterThanOrEqual(400)
    await expect(
      server.sql(`update app.shared_reports set password = 'plain' where id = $1`, [report.id]),
    ).rejects.toThrow('has to be hashed')
  })

  it('is compared at most 20 times a minute for 200 addresses, while its owner signs in', async () => {
    const { owner, report } = await makeShared({ password: 'open sesame' }, guessed)
    let compared = 0
    for (let n = 0; n < 200; n++) {
      const { status } = await give(report, `wrong ${n}`, guessed, `10.1.${n}.7`)
      expect([403, 429]).toContain(status)
      if (status === 403) compared++
    }
    expect(compared).toBeGreaterThan(0)
    expect(compared).toBeLessThanOrEqual(20)
    const signedIn = await fetch(`${guessed.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: guessed.anonKey, 'content-type': 'application/json' },
      body: JSON.stringify({ email: owner.email, password: owner.password }),
    })
    expect(signedIn.status).toBe(200)
  })

  it('takes 1,000 guesses of one address no further than 20', { tags: ['extended'] }, async () => {
    const { report } = await makeShared({ password: 'open sesame' }, guessed)
    const statuses: number[] = []
    for (let n = 0; n < 1_000; n++)
      statuses.push((await give(report, `wrong ${n}`, guessed, '10.2.0.1')).status)
    expect(statuses.filter((status) => status === 403).length).toBeLessThanOrEqual(20)
    // The control: without guesses before it, the right one passes.
    const fresh = await makeShared({ password: 'open sesame' }, guessed)
    expect((await give(fresh.report, 'open sesame', guessed, '10.3.0.1')).status).toBe(303)
  })

  it('is taken from a form of this site only', async () => {
    const { report } = await makeShared({ password: 'open sesame' })
    const foreign = await open(pathOf(report), {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ password: 'open sesame' }),
    })
    expect(foreign.status).toBe(403)
  })
})

describe('the table', () => {
  it('has only the reports of a person’s own links, on plans that show clicks', async () => {
    const { owner, link, report } = await makeShared()
    const bob = await makeUser(server, { plan: 'pro' })
    expect(await (await send(server, bob, 'GET', '')).json()).toEqual([])
    expect((await send(server, bob, 'POST', '', { link_id: link.id })).status).toBe(404)
    for (const method of ['PATCH', 'DELETE'])
      expect(
        await (await send(server, bob, method, `?id=eq.${report.id}`, { enabled: false })).json(),
      ).toEqual([])
    expect(await (await send(server, owner, 'GET', '?select=id')).json()).toEqual([
      { id: report.id },
    ])
    const free = await makeUser(server)
    const refused = await send(server, free, 'POST', '', {
      link_id: (await makeLink(server, free)).id,
    })
    expect([refused.status, await refused.json()]).toMatchObject([403, { hint: 'plan' }])
    for (const body of [{ token: 'mine' }, { link_id: link.id }, { user_id: bob.id }])
      expect((await send(server, owner, 'PATCH', `?id=eq.${report.id}`, body)).ok).toBe(false)
  })

  it('is open to apps with the scopes of links and reports, and a change is in the list of changes by apps', async () => {
    const owner = await makeUser(server, { plan: 'pro' })
    const link = await makeLink(server, owner)
    const as = async (scope: string) => {
      const { access_token } = await tokensFor(server, owner, await makeApp(server), scope)
      return { headers: { apikey: server.anonKey, authorization: `Bearer ${access_token}` } }
    }
    const share = async (scope: string) =>
      (await send(server, await as(scope), 'POST', '', { link_id: link.id })).status
    expect(await share('popups:write')).toBe(403)
    expect(await share('links:write links:read')).toBe(403)
    expect(await share('links:write links:read analytics:read')).toBe(201)
    expect((await send(server, await as('links:read'), 'GET', '')).status).toBe(200)
    expect(
      await server.sql('select action, kind, target from auth.app_changes where user_id = $1', [
        owner.id,
      ]),
    ).toEqual([{ action: 'changed', kind: 'link', target: link.id }])
  })
})
