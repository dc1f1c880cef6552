import pg from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { makeUser, type TestUser } from '#test/factories.ts'
import { sharedServer, type TestServer } from '#test/server.ts'
import {
  type App,
  appCallback,
  codeFor,
  makeApp,
  type Pair,
  pkcePair,
  sendForm,
  tokensFor,
} from './oauth-app.ts'
import { refresh, request } from '../requests.ts'

let server: TestServer
let user: TestUser
let app: App
beforeAll(async () => {
  server = await sharedServer()
  user = await makeUser(server)
  app = await makeApp(server)
})
const exchange = (code: string, pair: Pair, wanted: Record<string, string> = {}) =>
  sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code,
    code_verifier: pair.verifier,
    ...wanted,
  })

const refreshApp = (token: string, wanted: Record<string, string> = {}) =>
  sendForm(server, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: app.client_id,
    refresh_token: token,
    ...wanted,
  })

const isAlive = async (token: string) => (await request(server, '/user', { token })).status === 200

it('a second use of a code ends the session of the first', async () => {
  const pair = pkcePair()
  const code = await codeFor(server, user, app, pair)
  const first = await exchange(code, pair)
  expect(first.status).toBe(200)
  const token = String(first.body['access_token'])
  expect(await isAlive(token)).toBe(true)
  const second = await exchange(code, pair)
  expect([second.status, second.body['error']]).toEqual([400, 'invalid_grant'])
  expect(await isAlive(token)).toBe(false)
})

it('of twenty concurrent exchanges of one code one gives a session, which the repeated use ends', async () => {
  const pair = pkcePair()
  const code = await codeFor(server, user, app, pair)
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(code, pair)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const sessions = await server.sql(
    'select 1 from auth.sessions s join auth.oauth_authorizations a on a.session_id = s.id where a.client_id = $1',
    [app.client_id],
  )
  expect(sessions).toHaveLength(0)
})

it.each<[string, (pair: Pair) => Record<string, string> | Promise<Record<string, string>>]>([
  ['another verifier', () => ({ code_verifier: pkcePair().verifier })],
  ['the challenge as verifier', (pair) => ({ code_verifier: pair.challenge })],
  ['a short verifier', () => ({ code_verifier: 'short' })],
  ['another redirect address', () => ({ redirect_uri: 'https://app.example/other' })],
  ['another app', async () => ({ client_id: (await makeApp(server)).client_id })],
])('a code is refused with %s, and still good for its app', async (_, wrong) => {
  const pair = pkcePair()
  const code = await codeFor(server, user, app, pair)
  const refused = await exchange(code, pair, await wrong(pair))
  expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_grant'])
  expect((await exchange(code, pair, { redirect_uri: appCallback })).status).toBe(200)
})

it('a code is good for ten minutes', async () => {
  const pair = pkcePair()
  const code = await codeFor(server, user, app, pair)
  const left = await server.sql(
    `select expires_at between now() + interval '9 minutes' and now() + interval '10 minutes' as is_ten
      from auth.oauth_authorizations where status = 'approved' and exchanged_at is null and client_id = $1
      order by created_at desc limit 1`,
    [app.client_id],
  )
  expect(left).toMatchObject([{ is_ten: true }])
  await server.sql('update auth.oauth_authorizations set expires_at = now() where client_id = $1', [
    app.client_id,
  ])
  expect((await exchange(code, pair)).body['error']).toBe('invalid_grant')
})

it('a refresh never widens the scope, and narrows it when asked', async () => {
  const { refresh_token: token } = await tokensFor(
    server,
    user,
    app,
    'offline_access links:read links:write',
  )
  for (const scope of ['links:read openid', 'links:read admin']) {
    const more = await refreshApp(token, { scope })
    expect([more.status, more.body['error']]).toEqual([400, 'invalid_scope'])
  }
  const less = await refreshApp(token, { scope: 'links:read' })
  expect([less.status, less.body['scope']]).toEqual([200, 'links:read'])
  const write = await fetch(`${server.url}/rest/v1/shortened_urls`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${String(less.body['access_token'])}`,
    },
    body: JSON.stringify({ original_url: 'https://example.com/', user_id: user.id }),
  })
  expect([write.status, (await write.json()).code]).toEqual([403, 'insufficient_scope'])
})

it('the OAuth server gives a refresh token only with offline_access', async () => {
  const tokens = await tokensFor(server, user, app, 'openid links:read')
  expect(tokens.refresh_token).toBe('')
  const once = await makeApp(server, { grant_types: ['authorization_code'] })
  const asked = await tokensFor(server, user, once, 'offline_access links:read')
  expect([asked['scope'], asked.refresh_token]).toEqual(['links:read', ''])
})

it('a refresh token works for its app only, and not for the person’s own client', async () => {
  const { refresh_token: token } = await tokensFor(server, user, app, 'offline_access links:read')
  const other = await makeApp(server)
  const stolen = await refreshApp(token, { client_id: other.client_id })
  expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant'])
  expect((await refresh(server, token)).status).toBe(400)
  const own = await refreshApp(user.refreshToken)
  expect([own.status, own.body['error']]).toEqual([400, 'invalid_grant'])
  expect((await refreshApp(token)).status).toBe(200)
})

it('an old refresh token ends its session; the previous one still works for half a minute', async () => {
  const { refresh_token: first } = await tokensFor(server, user, app, 'offline_access links:read')
  const second = await refreshApp(first)
  const again = await refreshApp(first)
  expect(again.body['refresh_token']).toBe(second.body['refresh_token'])
  expect(await isAlive(String(again.body['access_token']))).toBe(true)
  await server.sql(
    `update auth.sessions set refreshed_at = refreshed_at - interval '31 seconds' where oauth_client_id = $1`,
    [app.client_id],
  )
  expect((await refreshApp(first)).body['error']).toBe('invalid_grant')
  expect((await refreshApp(String(second.body['refresh_token']))).status).toBe(400)
  expect(await isAlive(String(again.body['access_token']))).toBe(false)
})

it('an exchange that runs while the grant is revoked leaves no session', async () => {
  const racer = await makeUser(server)
  const holder = new pg.Client({ connectionString: server.superuserUrl })
  await holder.connect()
  // Both wait for the row of the code; PostgreSQL lets them in in the order in which they came.
  for (const isExchangeFirst of [true, false]) {
    const pair = pkcePair()
    const code = await codeFor(server, racer, app, pair)
    await holder.query('begin')
    await holder.query('select 1 from auth.oauth_authorizations where user_id = $1 for update', [
      racer.id,
    ])
    const start = {
      exchange: () => exchange(code, pair),
      revoke: () =>
        request(server, `/user/oauth/grants?client_id=${app.client_id}`, {
          method: 'DELETE',
          token: racer.accessToken,
        }),
    }
    const first = isExchangeFirst ? start.exchange() : start.revoke()
    await waiting(1)
    const second = isExchangeFirst ? start.revoke() : start.exchange()
    await waiting(2)
    await holder.query('commit')
    const [exchanged] = isExchangeFirst
      ? await Promise.all([first, second])
      : await Promise.all([second, first])
    expect(exchanged.status).toBe(isExchangeFirst ? 200 : 400)
    const left = 'select 1 from auth.sessions where user_id = $1 and oauth_client_id is not null'
    expect(await server.sql(left, [racer.id])).toHaveLength(0)
  }
  await holder.end()
})

/** Until so many transactions of this server wait for a lock. */
async function waiting(count: number): Promise<void> {
  await expect
    .poll(async () => {
      const rows = await server.sql(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rows.length
    })
    .toBe(count)
}

it('an app cannot end sessions that are not its own', async () => {
  const tokens = await tokensFor(server, user, app, 'offline_access links:read')
  const other = await makeApp(server)
  for (const token of [
    tokens.access_token,
    tokens.refresh_token,
    user.accessToken,
    user.refreshToken,
  ]) {
    const answer = await sendForm(server, '/oauth/revoke', { token, client_id: other.client_id })
    expect(answer.status).toBe(200)
  }
  expect([await isAlive(tokens.access_token), await isAlive(user.accessToken)]).toEqual([
    true,
    true,
  ])
  await sendForm(server, '/oauth/revoke', { token: tokens.access_token, client_id: app.client_id })
  expect(await isAlive(tokens.access_token)).toBe(false)
})

it('the token endpoint refuses bodies that are not forms, repeated parameters and other grants', async () => {
  const json = await request(server, '/oauth/token', { body: { grant_type: 'authorization_code' } })
  expect([json.status, json.body['error']]).toEqual([400, 'invalid_request'])
  const send = (body: string) =>
    request(server, '/oauth/token', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  const id = `client_id=${app.client_id}`
  expect((await send(`grant_type=refresh_token&grant_type=x&${id}`)).body['error']).toBe(
    'invalid_request',
  )
  expect((await send(`grant_type=password&${id}`)).body['error']).toBe('unsupported_grant_type')
  expect((await send(`grant_type=refresh_token&${id}`)).body['error']).toBe('invalid_request')
  expect((await send(`grant_type=refresh_token&refresh_token=x&${id}`)).body['error']).toBe(
    'invalid_grant',
  )
  expect((await send(`${id}`)).body['error']).toBe('invalid_request')
  expect((await send(`grant_type=authorization_code&code=%00&code_verifier=x&${id}`)).status).toBe(
    400,
  )
})

it('an id_token opens no door', async () => {
  const tokens = await tokensFor(server, user, app, 'openid links:read')
  const token = String(tokens['id_token'])
  expect((await request(server, '/user', { token })).status).toBe(403)
  const table = await fetch(`${server.url}/rest/v1/shortened_urls`, {
    headers: { authorization: `Bearer ${token}` },
  })
  expect(table.status).toBe(401)
})

it('a new password and a sign-out everywhere end the sessions of apps', async () => {
  const careless = await makeUser(server)
  const first = await tokensFor(server, careless, app, 'links:read')
  const change = {
    method: 'PUT',
    token: careless.accessToken,
    body: { password: 'another one 42' },
  }
  expect((await request(server, '/user', change)).status).toBe(200)
  expect(await isAlive(first.access_token)).toBe(false)
  const second = await tokensFor(server, careless, app, 'links:read')
  expect(await isAlive(second.access_token)).toBe(true)
  await request(server, '/logout', { method: 'POST', token: careless.accessToken })
  expect(await isAlive(second.access_token)).toBe(false)
})
