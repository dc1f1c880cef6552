import { randomUUID } from 'node:crypto'
import { beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import {
  newEmail,
  officialAdmin,
  type OfficialClient,
  refresh,
  request,
  signIn,
} from './requests.ts'

let server: TestServer
let admin: OfficialClient['admin']
beforeAll(async () => {
  server = await sharedServer()
  admin = officialAdmin(server)
})
const nobody = '6e0b8e6c-5d0c-4a7b-9b57-3c61e1bd9d4e'
const calls = [
  ['GET', '/admin/users'],
  ['POST', '/admin/users'],
  ['GET', `/admin/users/${nobody}`],
  ['PUT', `/admin/users/${nobody}`],
  ['DELETE', `/admin/users/${nobody}`],
  ['GET', `/admin/users/${nobody}/factors`],
  ['DELETE', `/admin/users/${nobody}/factors/${nobody}`],
  ['POST', '/admin/generate_link'],
  ['POST', '/invite'],
] as const

const makeAccount = async (attributes: Parameters<typeof admin.createUser>[0] = {}) => {
  const email = newEmail()
  const password = 'correct horse 42'
  const { data, error } = await admin.createUser({
    email,
    password,
    email_confirm: true,
    ...attributes,
  })
  if (error) throw error
  return { id: data.user.id, email, password, user: data.user }
}

it.each(calls)('%s %s is for the service key only', async (method, path) => {
  const person = await makeUser(server, { role: 'admin' })
  const send = (token?: string) =>
    request(server, path, {
      method,
      ...(token !== undefined && { token }),
      ...(method !== 'GET' && { body: {} }),
    })
  expect((await send()).body['code']).toBe('no_authorization')
  for (const token of [server.anonKey, person.accessToken]) {
    const answer = await send(token)
    expect([answer.status, answer.body['code']]).toEqual([403, 'not_admin'])
  }
  expect((await send('x.y.z')).body['code']).toBe('bad_jwt')
  expect([200, 400, 404]).toContain((await send(server.serviceRoleKey)).status)
})

it('the server makes an unconfirmed account, and confirms it', async () => {
  const made = await makeAccount({ email_confirm: false })
  expect((await signIn(server, made.email, made.password)).body['code']).toBe('email_not_confirmed')
  const { error } = await admin.updateUserById(made.id, { email_confirm: true })
  expect(error).toBeNull()
  expect((await signIn(server, made.email, made.password)).status).toBe(200)
})

it('the server keeps the id that an account has in another system, once', async () => {
  const id = randomUUID()
  const made = await makeAccount({ id })
  expect([made.id, made.user.identities?.[0]?.user_id]).toEqual([id, id])
  const { body } = await signIn(server, made.email, made.password)
  expect(body.user?.['id']).toBe(id)
  expect(await server.sql('select 1 from api.profiles where id = $1', [id])).toHaveLength(1)
  for (const taken of [id, id.toUpperCase()]) {
    const { error } = await admin.createUser({ id: taken, email: newEmail() })
    expect([error?.status, error?.code]).toEqual([422, 'user_already_exists'])
  }
  const other = await admin.createUser({ id: randomUUID(), email: made.email })
  expect(other.error?.code).toBe('email_exists')
  for (const wrong of ['x', '', 7, `${id} `, '00000000-0000-0000-0000-000000000000']) {
    const answer = await request(server, '/admin/users', {
      token: server.serviceRoleKey,
      body: { id: wrong, email: newEmail() },
    })
    expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
  }
})

it('the server accepts the bcrypt hash of another system, and no other kind of hash', async () => {
  const email = newEmail()
  const password_hash = await server.context.hasher.hash('from elsewhere')
  await admin.createUser({ email, password_hash, email_confirm: true })
  expect((await signIn(server, email, 'from elsewhere')).status).toBe(200)
  const { error } = await admin.createUser({ email: newEmail(), password_hash: 'plain' })
  expect(error?.code).toBe('validation_failed')
})

it.each(['page=0', 'page=x', 'per_page=1001', 'per_page=-1'])(
  'the server refuses to list with %s',
  async (query) => {
    const answer = await request(server, `/admin/users?${query}`, { token: server.serviceRoleKey })
    expect(answer.status).toBe(400)
  },
)

it('the server answers 404 for an account that does not exist', async () => {
  for (const id of [nobody, 'x', '%00']) {
    const { status, body } = await request(server, `/admin/users/${id}`, {
      token: server.serviceRoleKey,
    })
    expect([status, body['code']]).toEqual([404, 'user_not_found'])
  }
})

it('every door takes the token of an account with as much data as fits', async () => {
  const full = (more: object) => {
    const room = 4_096 - Buffer.byteLength(JSON.stringify({ ...more, note: '' }))
    return { note: 'x'.repeat(room) }
  }
  const email = `${'e'.repeat(60)}${newEmail()}`
  const made = await makeAccount({
    email,
    user_metadata: full({}),
    app_metadata: full({ provider: 'email', providers: ['email'] }),
  })
  const stored = await server.sql(
    `select octet_length(replace(user_metadata::text, ': ', ':')) as n from auth.users where id = $1`,
    [made.id],
  )
  expect(stored).toEqual([{ n: 4_096 }])
  const { body } = await signIn(server, email, made.password)
  const token = String(body['access_token'])
  expect(token.length).toBeGreaterThan(11_500)
  expect((await request(server, '/user', { token })).status).toBe(200)
  const table = await fetch(`${server.url}/rest/v1/user_plans?select=plan_type`, {
    headers: { apikey: server.anonKey, authorization: `Bearer ${token}` },
  })
  expect(await table.json()).toEqual([{ plan_type: 'free' }])
})

it('the server changes the data of an account, key by key', async () => {
  const made = await makeAccount({ user_metadata: { a: 1, b: 2 }, app_metadata: { team: 'red' } })
  const email = newEmail()
  const { data } = await admin.updateUserById(made.id, {
    email,
    user_metadata: { b: null, c: 3 },
    app_metadata: { team: 'blue', role: 'admin' },
  })
  expect(data.user).toMatchObject({
    email,
    user_metadata: { a: 1, c: 3 },
    app_metadata: { team: 'blue', providers: ['email'] },
    role: 'authenticated',
  })
  expect(await server.sql('select role from app.user_roles where user_id = $1', [made.id])).toEqual(
    [{ role: 'user' }],
  )
  const other = await makeAccount()
  expect((await admin.updateUserById(made.id, { email: other.email })).error?.code).toBe(
    'email_exists',
  )
})

it.each([
  ['a password', { password: 'another one' }],
  ['another address', { email: 'somewhere-else@example.com' }],
  ['a ban', { ban_duration: '24h' }],
])('the server ends every session at once with %s', async (_, change) => {
  const user = await makeUser(server)
  expect((await admin.updateUserById(user.id, change)).error).toBeNull()
  const auth = await request(server, '/user', { token: user.accessToken })
  expect(auth.status).toBe(403)
  const table = await fetch(`${server.url}/rest/v1/profiles?select=id`, { headers: user.headers })
  expect(table.status).toBe(401)
  expect((await refresh(server, user.refreshToken)).status).toBe(400)
})

it('the server bans for a while, and lifts the ban', async () => {
  const made = await makeAccount()
  const { data } = await admin.updateUserById(made.id, { ban_duration: '1h30m' })
  const until = Date.parse(String((data.user as { banned_until?: string } | null)?.banned_until))
  expect(Math.abs(until - Date.now() - 90 * 60_000)).toBeLessThan(10_000)
  expect((await signIn(server, made.email, made.password)).body['code']).toBe('user_banned')
  await admin.updateUserById(made.id, { ban_duration: 'none' })
  expect((await signIn(server, made.email, made.password)).status).toBe(200)
  for (const ban_duration of ['', 'forever', '-1h', '1', '1h x', '0s', '9999999h']) {
    const { error } = await admin.updateUserById(made.id, { ban_duration })
    expect(error?.code).toBe('validation_failed')
  }
})

it.each([
  ['nothing', {}],
  ['no address', { email: 'nobody' }],
  ['too much data', { email: 'a@example.com', app_metadata: { x: 'y'.repeat(5_000) } }],
  ['another role', { email: 'a@example.com', role: 'service_role' }],
  [
    'both kinds of password',
    { email: 'a@example.com', password: 'six666', password_hash: `$2b$10$${'a'.repeat(53)}` },
  ],
])('the server refuses to make an account with %s', async (_, body) => {
  const answer = await request(server, '/admin/users', { token: server.serviceRoleKey, body })
  expect([answer.status, answer.body['code']]).toEqual([400, 'validation_failed'])
})

it('the server deletes an account with all its data, and leaves a line in the audit log', async () => {
  const user = await makeUser(server)
  const link = await makeLink(server, user)
  const soft = await admin.deleteUser(user.id, true)
  expect([soft.error?.status, soft.error?.code]).toEqual([422, 'validation_failed'])
  expect((await admin.deleteUser(user.id)).error).toBeNull()
  expect((await request(server, '/user', { token: user.accessToken })).status).toBe(403)
  expect(await server.sql('select 1 from app.shortened_urls where id = $1', [link.id])).toEqual([])
  expect(
    await server.sql('select actor_role, action from app.audit_log where target_id = $1', [
      user.id,
    ]),
  ).toEqual([{ actor_role: 'service_role', action: 'user.delete' }])
  expect((await admin.deleteUser(user.id)).error?.code).toBe('user_not_found')
})

it('the server keeps the last admin', async () => {
  const last = await makeUser(server, { role: 'admin' })
  // Some of the others own spaces, so their accounts stay.
  await server.sql(`update app.user_roles set role = 'user' where user_id <> $1`, [last.id])
  expect((await admin.deleteUser(last.id)).error?.code).toBe('last_admin')
})
