import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { type Pair, pkcePair } from '../oauth/oauth-app.ts'
import { newEmail, officialClient, request, signIn } from '../requests.ts'

let server: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  server = await startMailingServer({ auth: { ...auth, autoconfirm: false } })
})
afterAll(() => server.close())

const password = 'correct horse 42'
const ways = [
  ['recovery', '/recover'],
  ['magiclink', '/otp'],
] as const

interface Person {
  email: string
  token: string
}

async function makePerson(): Promise<Person> {
  const email = newEmail()
  const body = { email, password, email_confirm: true }
  await request(server, '/admin/users', { token: server.serviceRoleKey, body })
  return { email, token: String((await signIn(server, email, password)).body['access_token']) }
}

/** A browser that asks by PKCE for a link, and the mail that comes. */
async function ask(email: string, path: string) {
  const pair = pkcePair()
  const body = { email, code_challenge: pair.challenge, code_challenge_method: 's256' }
  await request(server, path, { body: path === '/otp' ? { ...body, create_user: false } : body })
  return { pair, ...(await server.mailFor(email)) }
}

/** @returns the code that the browser is sent on with */
async function press(link: string): Promise<string> {
  const { status, query, fragment } = await pressLink(server, link)
  expect([status, fragment.has('access_token')]).toEqual([303, false])
  return query.get('code') ?? ''
}

const exchange = (code: string, { verifier }: Pair) =>
  request(server, '/token?grant_type=pkce', { body: { auth_code: code, code_verifier: verifier } })
const sendDigits = (email: string, type: string, token: string) =>
  request(server, '/verify', { body: { email, type, token } })
const facts = async (email: string) =>
  (
    await server.sql(
      `select email_proven_at is not null as is_proven, encrypted_password is not null as has_password
        from auth.users where email = $1`,
      [email],
    )
  )[0]

describe.each(ways)('a %s link that another browser opened', (type, path) => {
  it('still works, once, in the browser that asked for it', async () => {
    const { email } = await makePerson()
    const { pair, link, code: digits } = await ask(email, path)
    const onPhone = await press(link)
    const stranger = await exchange(onPhone, pkcePair())
    expect([stranger.status, stranger.body['code']]).toEqual([400, 'bad_code_verifier'])
    const here = await press(link)
    expect((await exchange(here, pair)).body.user?.['email']).toBe(email)

    const late = await exchange(onPhone, pair)
    expect([late.status, late.body['code']]).toEqual([404, 'flow_state_not_found'])
    expect((await pressLink(server, link)).status).toBe(403)
    expect((await sendDigits(email, type, digits)).body['code']).toBe('otp_expired')
  })

  it('leaves the code in the email valid, which uses the link up', async () => {
    const { email } = await makePerson()
    const { pair, link, code: digits } = await ask(email, path)
    const onPhone = await press(link)
    const wrong = digits === '000000' ? '111111' : '000000'
    expect((await sendDigits(email, type, wrong)).status).toBe(403)
    expect((await sendDigits(email, type, digits)).status).toBe(200)
    expect((await exchange(onPhone, pair)).status).toBe(404)
    expect((await pressLink(server, link)).status).toBe(403)
  })

  it('proves nothing yet; the exchange clears a stranger’s data from the account', async () => {
    const email = newEmail()
    const stranger = { email, password: 'the stranger’s', email_confirm: false }
    await request(server, '/admin/users', { token: server.serviceRoleKey, body: stranger })
    const { pair, link } = await ask(email, path)
    const code = await press(link)
    expect(await facts(email)).toEqual({ is_proven: false, has_password: true })
    const { status, body } = await exchange(code, pair)
    expect(status).toBe(200)
    expect(await facts(email)).toEqual({ is_proven: true, has_password: false })
    // The code is remembered although the account was cleared: its second use ends the session.
    const token = String(body['access_token'])
    expect((await request(server, '/user', { token })).status).toBe(200)
    expect((await exchange(code, pair)).status).toBe(404)
    expect((await request(server, '/user', { token })).status).toBe(403)
  })

  it('gives one session to 20 concurrent requests by link and digits', async () => {
    const race = async (arrange: () => Promise<unknown>) => {
      const { email } = await makePerson()
      const { pair, link, code: digits } = await ask(email, path)
      const codes = await Promise.all(Array.from({ length: 20 }, () => press(link)))
      await arrange()
      const answers = await Promise.all([
        ...codes.map((code) => exchange(code, pair)),
        sendDigits(email, type, digits),
      ])
      return answers.filter(({ status }) => status === 200).length
    }
    expect(await race(async () => {})).toBe(1)
    // This would catch codes that do not have the link behind them.
    const forget = () => server.sql('update auth.flow_states set one_time_token_id = null')
    expect(await race(forget)).toBeGreaterThan(1)
  })
})

const byOperator = async (email: string, body: object) => {
  const rows = await server.sql('select id from auth.users where email = $1', [email])
  const path = `/admin/users/${String(rows[0]?.['id'])}`
  const answer = await request(server, path, { method: 'PUT', token: server.serviceRoleKey, body })
  expect(answer.status).toBe(200)
}
const age = (table: string, condition: string, email: string) =>
  server.sql(`update auth.${table} set expires_at = now() where ${condition}`, [email])
const ofUser = 'user_id = (select id from auth.users where email = $1)'

const acts: [string, string, (person: Person) => Promise<unknown>][] = [
  ['nothing', 'code link', async () => {}],
  ['five minutes', 'link', ({ email }) => age('flow_states', ofUser, email)],
  // The code was given in time and has its separate minutes.
  ['an hour', 'code', ({ email }) => age('one_time_tokens', ofUser, email)],
  [
    'a sign-out everywhere',
    'link',
    ({ token }) => request(server, '/logout?scope=global', { method: 'POST', token }),
  ],
  [
    'a new password',
    '',
    ({ token }) =>
      request(server, '/user', { method: 'PUT', token, body: { password: 'something new 1' } }),
  ],
  ['another address', '', ({ email }) => byOperator(email, { email: newEmail() })],
  [
    'a ban that was lifted again',
    '',
    async ({ email }) => {
      await byOperator(email, { ban_duration: '24h' })
      await byOperator(email, { ban_duration: 'none' })
    },
  ],
  ['a newer mail', '', ({ email }) => request(server, '/recover', { body: { email } })],
]

it.each(acts)('after the press and %s is good: %s', async (_, expected, act) => {
  const person = await makePerson()
  const { pair, link } = await ask(person.email, '/recover')
  const code = await press(link)
  await act(person)
  // The exchange first would use the link up.
  const isLinkGood = (await pressLink(server, link)).status === 303
  const isCodeGood = (await exchange(code, pair)).status === 200
  expect([isCodeGood && 'code', isLinkGood && 'link'].filter(Boolean).join(' ')).toBe(expected)
})

it('a mailed link refuses a banned person, and says why', async () => {
  const { email } = await makePerson()
  const { pair, link } = await ask(email, '/recover')
  const code = await press(link)
  // Not by the way that takes the link away.
  await server.sql(`alter table auth.users disable trigger ban`)
  await server.sql(
    `update auth.users set banned_until = now() + interval '1 day' where email = $1`,
    [email],
  )
  await server.sql(`alter table auth.users enable trigger ban`)
  const { status, html } = await pressLink(server, link)
  expect([status, html.includes('User is banned')]).toEqual([403, true])
  expect((await exchange(code, pair)).body['code']).toBe('user_banned')
})

it('a mailed link leaves no session when a ban arrives during the exchange', async () => {
  const { email } = await makePerson()
  const { pair, link } = await ask(email, '/recover')
  const code = await press(link)
  const holder = new pg.Client({ connectionString: server.superuserUrl })
  await holder.connect()
  try {
    // The exchange stops with its code and before the link; the ban has to wait for it, and neither kills the other.
    await holder.query('begin')
    await holder.query('select 1 from auth.one_time_tokens where email = $1 for update', [email])
    const exchanged = exchange(code, pair)
    await sleep(300)
    const banned = byOperator(email, { ban_duration: '24h' })
    await sleep(300)
    await holder.query('commit')
    const [{ status }] = await Promise.all([exchanged, banned])
    expect(status).toBe(200)
    expect(await server.sql(`select 1 from auth.sessions where ${ofUser}`, [email])).toEqual([])
  } finally {
    await holder.end()
  }
})

it('a held link works in the official client: pressed elsewhere, then here', async () => {
  const { email } = await makePerson()
  const [desk, phone] = [0, 1].map(() => officialClient(server, { flowType: 'pkce' }))
  if (!desk || !phone) throw new Error('two clients')
  await desk.resetPasswordForEmail(email, { redirectTo: `${server.url}/auth/reset` })
  const { link } = await server.mailFor(email)
  const other = newEmail()
  await phone.signInWithOtp({ email: other })
  const refused = await phone.exchangeCodeForSession(await press(link))
  expect(refused.error?.code).toBe('bad_code_verifier')
  const { data } = await desk.exchangeCodeForSession(await press(link))
  expect(data.user?.email).toBe(email)
})

it('a mailed link uses up a sign-up link when it is pressed, in any browser', async () => {
  const email = newEmail()
  const pair = pkcePair()
  const body = { email, password, code_challenge: pair.challenge, code_challenge_method: 's256' }
  await request(server, '/signup', { body })
  const { link } = await server.mailFor(email)
  await press(link)
  expect(await facts(email)).toEqual({ is_proven: true, has_password: true })
  expect((await signIn(server, email, password)).status).toBe(200)
  expect((await pressLink(server, link)).status).toBe(403)
})
