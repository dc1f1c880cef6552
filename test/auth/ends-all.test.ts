import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { TestUser } from '#test/factories.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailed/mailbox.ts'
import { type App, codeFor, makeApp, type Pair, pkcePair, sendForm } from './oauth/oauth-app.ts'
import { newEmail, request, signIn } from './requests.ts'

let server: MailingServer
let app: App
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: false } })
  app = await makeApp(server)
})
afterAll(() => server.close())

const password = 'correct horse 42'

/** A person with a proven address, signed in. */
async function makePerson(): Promise<TestUser> {
  const email = newEmail()
  const body = { email, password, email_confirm: true }
  await request(server, '/admin/users', { token: server.serviceRoleKey, body })
  const session = (await signIn(server, email, password)).body as unknown as TestUser['session']
  const { access_token: accessToken, refresh_token: refreshToken, user } = session
  const headers = { apikey: server.anonKey, authorization: `Bearer ${accessToken}` }
  return { id: user.id, email, password, accessToken, refreshToken, session, headers }
}

interface OnTheWay {
  signIn: { code: string; pair: Pair }
  app: { code: string; pair: Pair }
  recovery: string
  change: string
}

/** Everything that could still give a session, or change the address, some minutes later. */
async function setOut(user: TestUser): Promise<OnTheWay> {
  const { email, accessToken: token } = user
  const pair = pkcePair()
  await request(server, '/otp', {
    body: { email, code_challenge: pair.challenge, code_challenge_method: 's256' },
  })
  const { query } = await pressLink(server, (await server.mailFor(email)).link)
  const appPair = pkcePair()
  const appCode = await codeFor(server, user, app, appPair)
  await request(server, '/recover', { body: { email } })
  const { link: recovery } = await server.mailFor(email)
  const next = newEmail()
  await request(server, '/user', { method: 'PUT', token, body: { email: next } })
  return {
    signIn: { code: query.get('code') ?? '', pair },
    app: { code: appCode, pair: appPair },
    recovery,
    change: (await server.mailFor(next)).link,
  }
}

const exchange = ({ code, pair }: OnTheWay['signIn']) =>
  request(server, '/token?grant_type=pkce', {
    body: { auth_code: code, code_verifier: pair.verifier },
  })

/** Which of these still work. */
async function arrivals(on: OnTheWay): Promise<string[]> {
  const appAnswer = await sendForm(server, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    code: on.app.code,
    code_verifier: on.app.pair.verifier,
  })
  const statuses = {
    'sign-in': (await exchange(on.signIn)).status === 200,
    app: appAnswer.status === 200,
    recovery: (await pressLink(server, on.recovery)).status === 303,
    'another address': (await pressLink(server, on.change)).status === 303,
  }
  return Object.entries(statuses).flatMap(([name, arrives]) => (arrives ? [name] : []))
}

const byOperator = ({ id }: TestUser, method: string, body: object) =>
  request(server, `/admin/users/${id}`, { method, token: server.serviceRoleKey, body })
const signOut = ({ accessToken: token }: TestUser, scope: string) =>
  request(server, `/logout?scope=${scope}`, { method: 'POST', token })

const all = ['sign-in', 'app', 'recovery', 'another address']
const mailed = ['recovery', 'another address']
const acts: [string, string[], (user: TestUser) => Promise<unknown>][] = [
  ['nothing', all, async () => {}],
  ['a sign-out here', all, (user) => signOut(user, 'local')],
  ['a sign-out everywhere', mailed, (user) => signOut(user, 'global')],
  ['a sign-out everywhere else', mailed, (user) => signOut(user, 'others')],
  [
    'a new password',
    [],
    ({ accessToken: token }) =>
      request(server, '/user', { method: 'PUT', token, body: { password: 'something new' } }),
  ],
  [
    'a new password by the operator',
    [],
    (user) => byOperator(user, 'PUT', { password: 'something new' }),
  ],
  ['a new address by the operator', [], (user) => byOperator(user, 'PUT', { email: newEmail() })],
  [
    'a ban that was lifted again',
    [],
    async (user) => {
      await byOperator(user, 'PUT', { ban_duration: '24h' })
      await byOperator(user, 'PUT', { ban_duration: 'none' })
    },
  ],
  [
    'a block by an admin that was lifted again',
    [],
    async ({ id }) => {
      const admin = await makePerson()
      await server.sql(`update app.user_roles set role = 'admin' where user_id = $1`, [admin.id])
      for (const name of ['admin_block', 'admin_unblock']) {
        const { status } = await fetch(`${server.url}/rest/v1/rpc/${name}`, {
          method: 'POST',
          headers: { ...admin.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ _kind: 'user', _value: id }),
        })
        expect([name, status]).toEqual([name, 204])
      }
    },
  ],
  [
    'the deletion of the account',
    [],
    ({ accessToken: token }) => request(server, '/user', { method: 'DELETE', token }),
  ],
]

it.each(acts)('after %s a request on its way arrives: %j', async (_, survivors, act) => {
  const user = await makePerson()
  const on = await setOut(user)
  await act(user)
  expect(await arrivals(on)).toEqual(survivors)
})

it('the server ends the session of a code that is exchanged during the sign-out', async () => {
  const user = await makePerson()
  const on = await setOut(user)
  const holder = new pg.Client({ connectionString: server.superuserUrl })
  await holder.connect()
  try {
    // The exchange has its code and stops before its session; the sign-out has to wait for it.
    await holder.query('begin')
    await holder.query('lock table auth.sessions in share row exclusive mode')
    const exchanged = exchange(on.signIn)
    await sleep(300)
    const signedOut = signOut(user, 'global')
    await sleep(300)
    await holder.query('commit')
    const [{ status, body }] = await Promise.all([exchanged, signedOut])
    expect(status).toBe(200)
    const token = String(body['access_token'])
    expect((await request(server, '/user', { token })).body['code']).toBe('session_not_found')
  } finally {
    await holder.end()
  }
})
