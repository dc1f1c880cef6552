import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { callWebhooks } from '#test/webhooks/calls.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { request, signIn } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const get = (path: string, user: TestUser) => request(server, path, { token: user.accessToken })
const makeOld = (user: TestUser) =>
  server.sql(
    `update auth.sessions set created_at = now() - interval '16 minutes' where user_id = $1`,
    [user.id],
  )
const remove = (user: TestUser, body?: unknown) =>
  request(server, '/user', {
    method: 'DELETE',
    token: user.accessToken,
    ...(body !== undefined && { body }),
  })
const exists = async (user: TestUser) =>
  (await server.sql('select 1 from auth.users where id = $1', [user.id])).length === 1

interface Session {
  id: string
  current: boolean
}
const sessionsOf = async (user: TestUser) =>
  (await get('/user/sessions', user)).body as unknown as Session[]

it.each([
  ['GET', '/user/sessions'],
  ['DELETE', '/user/sessions/6e0b8e6c-5d0c-4a7b-9b57-3c61e1bd9d4e'],
  ['GET', '/user/events'],
  ['GET', '/user/export'],
  ['DELETE', '/user'],
])('%s %s needs sign-in', async (method, path) => {
  expect((await request(server, path, { method })).status).toBe(401)
  expect((await request(server, path, { method, token: server.anonKey })).status).toBe(403)
})

it('the server lists the sessions of the account, and ends one of them', async () => {
  const user = await makeUser(server)
  const elsewhere = await signIn(server, user.email, user.password)
  const token = String(elsewhere.body['access_token'])
  const sessions = await sessionsOf(user)
  expect(sessions).toHaveLength(2)
  expect(sessions.filter(({ current }) => current)).toHaveLength(1)
  expect(sessions[0]).toMatchObject({ user_agent: 'node', address: '127.0.0.1', aal: 'aal1' })
  expect(JSON.stringify(sessions)).not.toMatch(/refresh_key|amr/)
  const other = sessions.find(({ current }) => !current)
  const ended = await request(server, `/user/sessions/${other?.id}`, {
    method: 'DELETE',
    token: user.accessToken,
  })
  expect(ended.status).toBe(204)
  expect((await request(server, '/user', { token })).body['code']).toBe('session_not_found')
  expect(await sessionsOf(user)).toHaveLength(1)
})

it('neither shows nor ends the sessions of other accounts', async () => {
  const [user, other] = [await makeUser(server), await makeUser(server)]
  const [theirs] = await sessionsOf(other)
  for (const id of [theirs?.id, 'x', '%00']) {
    const { status } = await request(server, `/user/sessions/${id}`, {
      method: 'DELETE',
      token: user.accessToken,
    })
    expect(status).toBe(404)
  }
  expect((await get('/user', other)).status).toBe(200)
})

it('the server shows the account’s own last 50 events only', async () => {
  const [user, other] = [await makeUser(server, { signsUp: true }), await makeUser(server)]
  await signIn(server, user.email, 'wrong')
  await signIn(server, other.email, other.password)
  const events = (await get('/user/events', user)).body as unknown as { event: string }[]
  expect(events.map(({ event }) => event)).toEqual(['sign-in failed', 'sign-up'])
  expect(events[0]).toMatchObject({ address: '127.0.0.1', user_agent: 'node' })
  await server.sql(
    `insert into auth.security_events (user_id, event) select $1, 'sign-in' from generate_series(1, 60)`,
    [user.id],
  )
  expect((await get('/user/events', user)).body).toHaveLength(50)
})

it('the server exports all data about a person, a thousand rows at a time, and nothing of other accounts', async () => {
  const user = await makeUser(server, { plan: 'business', signsUp: true })
  const other = await makeUser(server)
  const former = await makeLink(server, user)
  await server.sql('delete from app.shortened_urls where id = $1', [former.id])
  const link = await makeLink(server, user)
  const foreign = await makeLink(server, other)
  for (const [id, url] of [
    [link.id, 'https://example.com/second'],
    [link.id, 'https://example.com/third'],
    [foreign.id, 'https://example.com/not-mine'],
  ])
    await server.sql('update app.shortened_urls set original_url = $2 where id = $1', [id, url])
  await server.sql(
    `insert into app.popups (user_id, title) select $1, 'Popup ' || n from generate_series(1, 1000) n`,
    [user.id],
  )
  // Past the triggers, which would charge each row to the plan.
  await server.sql(`begin; set local session_replication_role = replica;
    insert into app.shortened_urls (user_id, short_code, original_url, created_at)
      select '${user.id}', 'export' || n, 'https://example.com/', now() - interval '1 day' from generate_series(1, 2500) n;
    commit`)
  const webhook = { url: 'https://receiver.example/hook', events: ['link.created'] }
  const { secret } = await callWebhooks(server, user.headers, 'POST', '', webhook)
  const response = await fetch(`${server.url}/auth/v1/user/export`, { headers: user.headers })
  expect(response.headers.get('content-disposition')).toContain('attachment')
  const text = await response.text()
  expect(text).not.toContain(secret)
  const data = JSON.parse(text) as Record<string, unknown[]>
  expect(data).toMatchObject({
    account: { id: user.id, email: user.email },
    profile: { email: user.email },
    plan: 'business',
    role: 'user',
    usage: { total_shortened_urls: 1 },
    bio_page: null,
    former_codes: [{ code: former.short_code }],
    affiliate: null,
    payments: [],
    webhooks: [webhook],
    commissions: [],
    connected_apps: [],
  })
  expect(data['links']?.slice(0, 2)).toMatchObject([
    {
      id: link.id,
      original_url: 'https://example.com/third',
      history: [
        { from_url: 'https://example.com/second', to_url: 'https://example.com/third' },
        { from_url: link.original_url, to_url: 'https://example.com/second' },
      ],
    },
    { original_url: 'https://example.com/', history: [] },
  ])
  expect(new Set(data['links']?.map((one) => JSON.stringify(one))).size).toBe(2_501)
  expect(data['popups']).toHaveLength(1_000)
  expect(data['security_events']).toMatchObject([{ event: 'sign-up' }])
  expect(data['sessions']).toHaveLength(1)
  for (const secret of [
    foreign.id,
    other.id,
    other.email,
    'not-mine',
    'refresh_key',
    'encrypted',
    '$2b$',
  ])
    expect(text).not.toContain(secret)
})

it('the server deletes an account with all its data, soon after the sign-in', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  expect((await remove(user)).status).toBe(204)
  expect(await exists(user)).toBe(false)
  expect(await server.sql('select 1 from app.shortened_urls where id = $1', [link.id])).toEqual([])
  expect((await get('/user', user)).body['code']).toBe('user_not_found')
  const table = await fetch(`${server.url}/rest/v1/profiles?select=id`, { headers: user.headers })
  expect(table.status).toBe(401)
})

/** Links, half of them visited, each with a popup and a former code. */
async function addLinks(user: TestUser, count: number): Promise<void> {
  await server.sql(
    `with shown as (insert into app.popups (user_id, title) values ($1, 'Shown') returning id)
      insert into app.shortened_urls (user_id, short_code, original_url, show_popup, popup_id)
        select $1, $3 || '-' || n, 'https://example.com/', true, shown.id from shown, generate_series(1, $2::integer) n`,
    [user.id, count, user.id.slice(0, 8)],
  )
  await server.sql(
    `insert into app.names (name, kind, owner_id, alias_of, is_custom)
      select s.short_code || '-former', 'alias', $1::uuid, s.short_code, true from app.shortened_urls s where s.user_id = $1`,
    [user.id],
  )
  await server.sql(
    `update app.shortened_urls set click_count = 1 where user_id = $1 and right(short_code, 1) in ('1', '3', '5', '7', '9')`,
    [user.id],
  )
}

it('the server holds the names of a deleted account that had visits, and frees the others', async () => {
  const user = await makeUser(server, { plan: 'business' })
  await addLinks(user, 2)
  const start = user.id.slice(0, 8)
  expect((await remove(user)).status).toBe(204)
  const names = `select name, kind, owner_id, alias_of, released_at is not null as held from app.names
    where name like $1 || '-%' order by name`
  expect(await server.sql(names, [start])).toEqual([
    { name: `${start}-1`, kind: 'link', owner_id: null, alias_of: null, held: true },
    { name: `${start}-1-former`, kind: 'alias', owner_id: null, alias_of: null, held: true },
  ])
})

it('the server calls no function for each link of an account that is deleted', async () => {
  const callsFor = async (links: number) => {
    const user = await makeUser(server, { plan: 'business' })
    await addLinks(user, links)
    const counted = `select coalesce(sum(calls), 0)::integer as n from pg_stat_xact_user_functions`
    const client = new pg.Client({ connectionString: server.superuserUrl })
    await client.connect()
    try {
      await client.query(`begin; set local track_functions = 'pl'`)
      await client.query('delete from auth.users where id = $1', [user.id])
      return (await client.query<{ n: number }>(counted)).rows[0]?.n
    } finally {
      await client.end()
    }
  }
  const few = await callsFor(2)
  expect(few).toBeGreaterThan(3)
  expect(await callsFor(20)).toBe(few)
})

it('the server asks for the password when the sign-in is older than 15 minutes', async () => {
  const user = await makeUser(server)
  await makeOld(user)
  const bare = await remove(user)
  expect([bare.status, bare.body['code']]).toEqual([403, 'reauthentication_needed'])
  const wrong = await remove(user, { password: 'wrong' })
  expect([wrong.status, wrong.body['code']]).toEqual([400, 'invalid_credentials'])
  expect(await exists(user)).toBe(true)
  expect((await remove(user, { password: user.password })).status).toBe(204)
  expect(await exists(user)).toBe(false)
})

it('the server asks for the second factor if the account has one', async () => {
  const user = await makeUser(server)
  await server.sql(
    `insert into auth.factors (user_id, factor_type, status) values ($1, 'totp', 'verified')`,
    [user.id],
  )
  expect((await remove(user)).body['code']).toBe('insufficient_aal')
  expect((await get('/user/export', user)).body['code']).toBe('insufficient_aal')
  expect(await exists(user)).toBe(true)
})

it('the server keeps the last admin', async () => {
  await server.sql(`update app.user_roles set role = 'user' where role = 'admin'`)
  const admin = await makeUser(server, { role: 'admin' })
  const kept = await remove(admin)
  expect([kept.status, kept.body['code']]).toEqual([422, 'last_admin'])
  await makeUser(server, { role: 'admin' })
  expect((await remove(admin)).status).toBe(204)
})
