import { beforeAll, describe, expect, it, vi } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'

// API keys that are limited to domains: an agency gives one to each of its customers.

let server: TestServer
let owner: TestUser
let key: Record<string, string>
const now = Date.now()
const [theirs, others] = [`customer-${now}.example`, `other-${now}.example`]

async function call(headers: Record<string, string>, method: string, path: string, body?: object) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', prefer: 'return=representation', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: (text === '' ? null : JSON.parse(text)) as unknown }
}

const makeKey = (fields: object) =>
  call(owner.headers, 'POST', '/auth/v1/user/api-keys', {
    name: 'Customer',
    scopes: ['links:read', 'links:write'],
    expires_in_days: null,
    ...fields,
  })
const link = (more: object, headers = key) =>
  call(headers, 'POST', '/rest/v1/shortened_urls?select=short_code,domain', {
    user_id: owner.id,
    original_url: 'https://example.com/',
    ...more,
  })

beforeAll(async () => {
  server = await sharedServer()
  owner = await makeUser(server, { plan: 'business' })
  for (const host of [theirs, others])
    await server.sql('insert into app.domains (user_id, host, is_served) values ($1, $2, true)', [
      owner.id,
      host,
    ])
  await vi.waitUntil(() => server.context.hosts.knownPlaceAt(others), { timeout: 60_000 })
  const made = await makeKey({ domains: [theirs.toUpperCase()] })
  expect(made).toMatchObject({ status: 201, body: { domains: [theirs] } })
  key = { authorization: `Bearer ${(made.body as { key: string }).key}` }
  for (const domain of [others, ''])
    expect((await link({ short_code: 'secret', domain }, owner.headers)).status).toBe(201)
})

describe('an API key of a domain', () => {
  it('makes links there, also without naming it, and nowhere else', async () => {
    const made = { status: 201, body: [{ domain: theirs }] }
    expect(await link({ short_code: 'menu', domain: theirs })).toMatchObject(made)
    expect(await link({})).toMatchObject(made)
    for (const domain of [others, ''])
      expect(await link({ short_code: 'mine', domain })).toMatchObject({ status: 403 })
    const _links = [others, '', theirs].map((domain) => ({
      original_url: 'https://example.com/',
      domain,
    }))
    const bulk = await call(key, 'POST', '/rest/v1/rpc/create_links', { _links })
    expect(bulk.body).toMatchObject([
      { status: 'failed' },
      { status: 'failed' },
      { status: 'created', link: { domain: theirs } },
    ])
    const reuse = { original_url: 'https://example.com/', domain: others, reuse: true }
    expect(
      (await call(key, 'POST', '/rest/v1/rpc/create_links', { _links: [reuse] })).body,
    ).toMatchObject([{ status: 'failed' }])
  })

  it('sees, changes and deletes links there alone', async () => {
    const list = await call(key, 'GET', '/rest/v1/shortened_urls?select=domain')
    expect(new Set((list.body as { domain: string }[]).map(({ domain }) => domain))).toEqual(
      new Set([theirs]),
    )
    const at = (code: string) => `/rest/v1/shortened_urls?short_code=eq.${code}&select=short_code`
    for (const named of ['secret', `${others}/secret`])
      for (const [method, body] of [
        ['GET', undefined],
        ['PATCH', { title: 'Taken over' }],
        ['DELETE', undefined],
      ] as const)
        expect((await call(key, method, at(named), body)).body, `${method} ${named}`).toEqual([])
    const [secret] = await server.sql<{ title: string | null }>(
      `select title from app.shortened_urls where user_id = $1 and short_code = 'secret'`,
      [owner.id],
    )
    expect(secret).toEqual({ title: null })
    const menu = at(`${theirs}/menu`)
    expect((await call(key, 'PATCH', menu, { title: 'Menu' })).body).toHaveLength(1)
    expect((await call(key, 'DELETE', menu)).body).toHaveLength(1)
  })

  it('opens no other door', async () => {
    const links = '/rest/v1/shortened_urls?select=id,tags:link_expectations(name)'
    for (const [method, path, body] of [
      ['GET', '/rest/v1/tags', undefined],
      ['GET', '/rest/v1/placements', undefined],
      ['GET', '/rest/v1/domains', undefined],
      ['GET', links, undefined],
      ['POST', '/rest/v1/rpc/list_links', {}],
      ['POST', '/rest/v1/rpc/search_links', { _query: 'secret' }],
      ['POST', '/rest/v1/rpc/rename_link', { _link: owner.id, _code: 'x-y-z' }],
      ['GET', `/functions/v1/qr-code?code=${others}/secret`, undefined],
      ['GET', '/functions/v1/imports', undefined],
    ] as const)
      expect((await call(key, method, path, body)).status, path).toBe(403)
  })

  it('needs domains of the account, and the scopes of links', async () => {
    for (const fields of [
      { domains: [] },
      { domains: ['nobody.example'] },
      { domains: [theirs], scopes: ['links:read', 'analytics:read'] },
      { domains: theirs },
    ])
      expect((await makeKey(fields)).status, JSON.stringify(fields)).toBe(400)
    expect(await makeKey({ domains: [theirs, ''] })).toMatchObject({ status: 201 })
    expect(await makeKey({})).toMatchObject({ status: 201, body: { domains: null } })
  })
})
