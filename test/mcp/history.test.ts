import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeApp, tokensFor } from '#test/auth/oauth/oauth-app.ts'
import { request } from '#test/auth/requests.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { bearer, call, connectAgent, post } from './agent.ts'

let server: TestServer
let person: TestUser
beforeAll(async () => void (server = await startTestServer()))
afterAll(() => server.close())
beforeEach(async () => void (person = await makeUser(server, { plan: 'business' })))

async function changes(of = person) {
  const { body } = await request(server, '/user/oauth/changes', { token: of.accessToken })
  return (body as unknown as Record<string, string>[]).map(
    ({ app, action, kind, name }) => `${app} ${action} ${kind} ${name}`,
  )
}

it('the history lists changes of an app at any door, newest first', async () => {
  const { client } = await connectAgent(server, person)
  const use = (name: string, given: object) => client.callTool({ name, arguments: { ...given } })
  await use('create_link', { original_url: 'https://example.com/a', short_code: 'told-1' })
  await use('change_link', { short_code: 'told-1', original_url: 'https://example.com/b' })
  await use('draft_popup', { title: 'Sale' })
  const links = [
    { title: 'One', url: 'https://example.com/1' },
    { title: 'Two', url: 'https://example.com/2' },
  ]
  await use('edit_bio_page', { slug: 'told-page', title: 'Told', links })
  await use('edit_bio_page', {
    links: [...links, { title: 'Three', url: 'https://example.com/3' }],
  })

  const app = await makeApp(server, { client_name: 'Shop Sync' })
  const { access_token: token } = await tokensFor(server, person, app, 'links:read links:write')
  const deleted = await fetch(`${server.url}/rest/v1/shortened_urls?short_code=eq.told-1`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(deleted.status).toBe(204)
  expect(await changes()).toEqual([
    'Shop Sync deleted link told-1',
    'Desk Agent changed bio page told-page',
    'Desk Agent created bio page told-page',
    'Desk Agent created popup Sale',
    'Desk Agent changed link told-1',
    'Desk Agent created link told-1',
  ])
  const exported = await request(server, '/user/export', { token: person.accessToken })
  expect(exported.body['app_changes']).toHaveLength(6)
  expect(exported.body['app_changes']).toContainEqual(
    expect.objectContaining({ app: 'Shop Sync', action: 'deleted', name: 'told-1' }),
  )
})

it('the history leaves out changes of people themselves, refused calls, and effects of visitors', async () => {
  const { client } = await connectAgent(server, person)
  const link = await makeLink(server, person)
  await client.callTool({ name: 'create_link', arguments: { original_url: 'not an address' } })
  await fetch(`${server.url}/${link.short_code}`, { redirect: 'manual' })
  expect(await changes()).toEqual([])
  await client.callTool({
    name: 'create_link',
    arguments: { original_url: 'https://example.com/' },
  })
  expect(await changes()).toHaveLength(1)
  const other = await makeUser(server)
  expect(await changes(other)).toEqual([])
})

it('the history names the API key that wrote', async () => {
  const { body: key } = await request(server, '/user/api-keys', {
    token: person.accessToken,
    body: { name: 'Nightly', scopes: ['links:write'], expires_in_days: null },
  })
  const made = await fetch(`${server.url}/rest/v1/shortened_urls`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(key['key'])}`, 'content-type': 'application/json' },
    body: JSON.stringify({ original_url: 'https://example.com/', short_code: 'by-night' }),
  })
  expect(made.status).toBe(201)
  expect(await changes()).toEqual(['API key Nightly created link by-night'])
  expect((await post(server, call('find_links'), bearer(String(key['key'])))).status).toBe(401)
})

it('the history shows it to the person and to no app', async () => {
  const app = await makeApp(server)
  const { access_token: token } = await tokensFor(server, person, app, 'links:read profile')
  expect((await request(server, '/user/oauth/changes', { token })).status).toBe(403)
  expect((await request(server, '/user/oauth/changes', {})).status).toBe(401)
})

it('the history keeps the last 1,000 of a person', async () => {
  const { client } = await connectAgent(server, person)
  await client.callTool({
    name: 'create_link',
    arguments: { original_url: 'https://example.com/' },
  })
  await server.sql(
    `insert into auth.app_changes (user_id, at, client_id, app, action, kind, target, name)
      select user_id, at, client_id, 'Earlier', action, kind, target, name from auth.app_changes, generate_series(1, 1200)
      where user_id = $1`,
    [person.id],
  )
  const app = await makeApp(server)
  const { access_token: token } = await tokensFor(server, person, app, 'links:write')
  const rows = Array.from({ length: 50 }, (_, at) => ({
    original_url: `https://example.com/${at}`,
  }))
  const made = await fetch(`${server.url}/rest/v1/rpc/create_links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ _links: rows }),
  })
  expect(made.status).toBe(200)
  const kept = await server.sql<{ n: number }>(
    'select count(*)::int as n from auth.app_changes where user_id = $1',
    [person.id],
  )
  expect(kept[0]?.n).toBeGreaterThanOrEqual(1_000)
  expect(kept[0]?.n).toBeLessThan(1_050)
  expect((await changes())[0]).toMatch(/^Example App created link/)
})
