import { beforeAll, expect, it } from 'vitest'
import { makeUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { officialClient, refresh, request, signIn } from './requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
interface Place {
  access: string
  refresh: string
}

async function threePlaces(): Promise<[Place, Place, Place]> {
  const user = await makeUser(server)
  const place = async (): Promise<Place> => {
    const { body } = await signIn(server, user.email, user.password)
    return { access: String(body['access_token']), refresh: String(body['refresh_token']) }
  }
  return [{ access: user.accessToken, refresh: user.refreshToken }, await place(), await place()]
}

/** Whether a session is taken by the auth door, the table door and for a refresh: one answer, or they disagree. */
async function isAlive({ access, refresh: token }: Place): Promise<boolean> {
  const auth = await request(server, '/user', { token: access })
  const table = await fetch(`${server.url}/rest/v1/user_plans?select=plan_type`, {
    headers: { apikey: server.anonKey, authorization: `Bearer ${access}` },
  })
  const rows: unknown = await table.json()
  const again = await refresh(server, token)
  const alive = [
    auth.status === 200,
    table.status === 200 && Array.isArray(rows) && rows.length === 1,
    again.status === 200,
  ]
  expect(new Set(alive).size).toBe(1)
  return alive[0] ?? false
}

it.each([
  ['?scope=global', [false, false, false]],
  ['', [false, false, false]],
  ['?scope=local', [false, true, true]],
  ['?scope=others', [true, false, false]],
])('sign-out ends at once, at every door: %s', async (query, expected) => {
  const places = await threePlaces()
  const { status } = await request(server, `/logout${query}`, {
    method: 'POST',
    token: places[0].access,
  })
  expect(status).toBe(204)
  const alive = []
  for (const place of places) alive.push(await isAlive(place))
  expect(alive).toEqual(expected)
})

it('sign-out does not touch other people', async () => {
  const [mine] = await threePlaces()
  const [theirs] = await threePlaces()
  await request(server, '/logout', { method: 'POST', token: mine.access })
  expect(await isAlive(theirs)).toBe(true)
})

it('sign-out refuses another scope and a caller without a token', async () => {
  const [{ access }] = await threePlaces()
  for (const scope of ['all', 'constructor', 'GLOBAL']) {
    const { status } = await request(server, `/logout?scope=${scope}`, {
      method: 'POST',
      token: access,
    })
    expect(status).toBe(400)
  }
  expect((await request(server, '/logout', { method: 'POST' })).status).toBe(401)
})

it('sign-out signs the official client out, also when its session is gone already', async () => {
  const user = await makeUser(server)
  const client = officialClient(server)
  await client.signInWithPassword({ email: user.email, password: user.password })
  await server.sql('delete from auth.sessions where user_id = $1', [user.id])
  expect((await client.getUser()).error?.name).toBe('AuthSessionMissingError')
  await client.signInWithPassword({ email: user.email, password: user.password })
  await server.sql('delete from auth.sessions where user_id = $1', [user.id])
  expect((await client.signOut()).error).toBeNull()
  expect((await client.getSession()).data.session).toBeNull()
})

it('sign-out refuses the tokens of a deleted or demoted person', async () => {
  const admin = await makeUser(server, { role: 'admin' })
  await makeUser(server, { role: 'admin' })
  const everybody = () =>
    fetch(`${server.url}/rest/v1/profiles?select=id`, { headers: admin.headers }).then(
      async (response) => ((await response.json()) as unknown[]).length,
    )
  expect(await everybody()).toBeGreaterThan(1)
  await server.sql(`update app.user_roles set role = 'user' where user_id = $1`, [admin.id])
  expect(await everybody()).toBe(1)
  await server.sql('delete from app.profiles where id = $1', [admin.id])
  const gone = await request(server, '/user', { token: admin.accessToken })
  expect([gone.status, gone.body['code']]).toEqual([403, 'user_not_found'])
  expect(await isAlive({ access: admin.accessToken, refresh: admin.refreshToken })).toBe(false)
})

it('sign-out refuses the tokens of a banned person at every door, also once the ban is over', async () => {
  const user = await makeUser(server)
  const place = { access: user.accessToken, refresh: user.refreshToken }
  expect(await isAlive(place)).toBe(true)
  await server.sql(`update auth.users set banned_until = now() + interval '1 hour' where id = $1`, [
    user.id,
  ])
  expect(await isAlive(place)).toBe(false)
  await server.sql('update auth.users set banned_until = null where id = $1', [user.id])
  expect(await isAlive(place)).toBe(false)
  expect((await signIn(server, user.email, user.password)).status).toBe(200)
})

it('the check would leave the table door open without the session look-up (control)', async () => {
  const broken = await startTestServer()
  try {
    await broken.sql(`create or replace function auth.session_status(session uuid, account uuid, token_aal text default 'aal2')
      returns text language sql stable as $$select 'live'$$`)
    const user = await makeUser(broken)
    expect(
      (await request(broken, '/logout', { method: 'POST', token: user.accessToken })).status,
    ).toBe(204)
    const table = await fetch(`${broken.url}/rest/v1/user_plans?select=plan_type`, {
      headers: user.headers,
    })
    expect(table.status).toBe(200)
  } finally {
    await broken.close()
  }
})
