import { beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, startTestServer, type TestServer } from '#test/server.ts'
import { refresh, request, signIn } from '../requests.ts'

let server: TestServer
beforeAll(async () => {
  server = await sharedServer()
})
/** One call at each door that knows people. */
const doors: Record<string, (user: TestUser) => Promise<Response>> = {
  auth: ({ headers }) => fetch(`${server.url}/auth/v1/user`, { headers }),
  'auth, own data': ({ headers }) => fetch(`${server.url}/auth/v1/user/export`, { headers }),
  tables: ({ headers }) => fetch(`${server.url}/rest/v1/shortened_urls?select=id`, { headers }),
  procedures: ({ headers, id }) =>
    fetch(`${server.url}/rest/v1/rpc/can_create_url`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ _user_id: id }),
    }),
  functions: ({ headers }) =>
    fetch(`${server.url}/functions/v1/check-subscription`, { method: 'POST', headers }),
}
const accepted = async (user: TestUser) => {
  const answers = await Promise.all(
    Object.entries(doors).map(async ([name, call]) => {
      const answer = await call(user)
      await answer.text()
      return [name, answer.ok] as const
    }),
  )
  return answers.flatMap(([name, ok]) => (ok ? [name] : []))
}
const byOperator = (user: TestUser, method: string, body: object) =>
  request(server, `/admin/users/${user.id}`, { method, token: server.serviceRoleKey, body })
const elsewhere = async (user: TestUser) =>
  String((await signIn(server, user.email, user.password)).body['access_token'])

const ends: Record<string, (user: TestUser) => Promise<unknown>> = {
  'a sign-out': ({ accessToken }) =>
    request(server, '/logout', { method: 'POST', token: accessToken }),
  'a sign-out from another place': async (user) => {
    const token = await elsewhere(user)
    const own = await request(server, '/user/sessions', { token })
    const other = (own.body as unknown as { id: string; current: boolean }[]).find(
      ({ current }) => !current,
    )
    return request(server, `/user/sessions/${other?.id}`, { method: 'DELETE', token })
  },
  'a new password': async (user) =>
    request(server, '/user', {
      method: 'PUT',
      token: await elsewhere(user),
      body: { password: 'something new' },
    }),
  'a deletion by its owner': ({ accessToken }) =>
    request(server, '/user', { method: 'DELETE', token: accessToken }),
  'a ban': (user) => byOperator(user, 'PUT', { ban_duration: '24h' }),
  'a new password by the operator': (user) =>
    byOperator(user, 'PUT', { password: 'something new' }),
  'a deletion by the operator': (user) => byOperator(user, 'DELETE', {}),
}

it.each(Object.keys(ends))(
  'the server refuses the token at every door once it ends by %s',
  async (name) => {
    const user = await makeUser(server)
    // The doors have seen the token: their memory of it must not matter.
    expect(await accepted(user)).toEqual(Object.keys(doors))
    await ends[name]?.(user)
    expect(await accepted(user)).toEqual([])
    expect((await refresh(server, user.refreshToken)).status).toBe(400)
  },
)

it('the server refuses an admin’s calls as soon as the role is gone', async () => {
  const admin = await makeUser(server, { role: 'admin' })
  await makeUser(server, { role: 'admin' })
  const audit = () =>
    fetch(`${server.url}/rest/v1/rpc/admin_audit`, {
      method: 'POST',
      headers: { ...admin.headers, 'content-type': 'application/json' },
      body: '{}',
    })
  expect((await audit()).status).toBe(200)
  await server.sql(`update app.user_roles set role = 'user' where user_id = $1`, [admin.id])
  expect((await audit()).status).toBe(403)
})

it('the check would accept it without the session look-up (control)', async () => {
  const broken = await startTestServer()
  try {
    const user = await makeUser(broken)
    await broken.sql(`create or replace function auth.session_status(session uuid, account uuid, token_aal text default 'aal2')
      returns text language sql stable as $$select 'live'$$`)
    await request(broken, '/logout', { method: 'POST', token: user.accessToken })
    const table = await fetch(`${broken.url}/rest/v1/shortened_urls?select=id`, {
      headers: user.headers,
    })
    expect(table.status).toBe(200)
  } finally {
    await broken.close()
  }
})
