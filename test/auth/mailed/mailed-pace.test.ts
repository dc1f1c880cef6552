/** @module-tag extended */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { type Answer, newEmail, request, signIn } from '../requests.ts'

let limited: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  limited = await startMailingServer({
    auth: { ...auth, autoconfirm: false },
    rateLimits: true,
    trustedProxies: 1,
  })
})
afterAll(() => limited.close())

const password = 'correct horse 42'

async function confirmed(from: string) {
  const email = newEmail()
  await request(limited, '/signup', { body: { email, password }, from })
  expect((await pressLink(limited, (await limited.mailFor(email)).link)).status).toBe(303)
  return email
}

it('the server makes known and unknown addresses wait a minute alike', async () => {
  const email = await confirmed('10.1.0.1')
  for (const address of [email, newEmail()]) {
    const ask = (path: string, more = {}) =>
      request(limited, path, { body: { email: address, ...more }, from: '10.1.0.2' })
    expect((await ask('/recover')).status).toBe(200)
    const again = await ask('/recover')
    expect([again.status, again.body['code']]).toEqual([429, 'over_email_send_rate_limit'])
    expect(again.body['message']).toMatch(
      /^For security purposes, you can only request another password reset email after (5\d|60) seconds\.$/,
    )
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await ask('/otp', { create_user: false })).status).toBe(200)
  }
})

it('the server names the wait when a person signs up twice', async () => {
  const body = { email: newEmail(), password }
  expect((await request(limited, '/signup', { body, from: '10.1.0.3' })).status).toBe(200)
  const again = await request(limited, '/signup', { body, from: '10.1.0.3' })
  expect([again.status, again.body['code']]).toEqual([429, 'over_email_send_rate_limit'])
  expect(again.body['message']).toMatch(
    /^For security purposes, you can only request another confirmation email after (5\d|60) seconds\.$/,
  )
})

it('the server sends one email for 100 requests in a minute from 100 IP addresses', async () => {
  const email = await confirmed('10.2.255.1')
  const before = (await limited.mailsFor(email)).length
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      request(limited, '/recover', { body: { email }, from: `10.2.0.${i}` }),
    ),
  )
  // A crowded database may refuse some of them first.
  const refusals = [409, 429, 503]
  expect(
    answers.map(({ status }) => status).filter((status) => !refusals.includes(status)),
  ).toEqual([200])
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(50)
  expect((await limited.mailsFor(email)).length - before).toBe(1)
  // A minute later there is one more, from a process that knows of the first only by the database.
  await limited.sql(`update auth.budgets set at = at - interval '1 minute'`)
  const later = await request(limited, '/recover', { body: { email }, from: '10.2.1.1' })
  expect(later.status).toBe(200)
})

it('the server sends no more than 30 emails an hour for one client, and six in a row to one address', async () => {
  const answers: Answer[] = []
  for (let i = 0; i < 32; i++) {
    // The door's own limit of 30 in five minutes is not tried here.
    if (i === 20) await limited.sql(`delete from auth.budgets where key not like 'mail client%'`)
    answers.push(
      await request(limited, '/recover', { body: { email: newEmail() }, from: '10.3.0.1' }),
    )
  }
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
  expect(answers.at(-1)?.body['code']).toMatch(/^over_(email_send|request)_rate_limit$/)
  const [client] = await limited.sql<{ tokens: number }>(
    `select tokens from auth.budgets where key = 'mail client 10.3.0.1'`,
  )
  expect(client?.tokens).toBeLessThan(1)

  const email = newEmail()
  let sent = 0
  for (let i = 0; i < 9; i++) {
    await limited.sql(`delete from auth.budgets where key like 'mail recovery%'`)
    const { status } = await request(limited, '/recover', { body: { email }, from: `10.3.1.${i}` })
    if (status === 200) sent++
  }
  expect(sent).toBe(6)
})

it('the server counts each kind of email separately, so that a stranger cannot use up all of them', async () => {
  const email = await confirmed('10.5.255.1')
  const ask = (from: string, path: string, more = {}) =>
    request(limited, path, { body: { email, ...more }, from })
  const asked: number[] = []
  for (let i = 0; i < 7; i++) {
    await limited.sql(`delete from auth.budgets where key like 'mail email_change%'`)
    const { status } = await ask(`10.5.0.${i}`, '/resend', { type: 'email_change' })
    asked.push(status)
  }
  // The stranger has used up the budget of that kind.
  expect(asked).toEqual([200, 200, 200, 200, 200, 200, 429])
  expect((await ask('10.5.1.1', '/recover')).status).toBe(200)
  expect((await ask('10.5.1.2', '/otp', { create_user: false })).status).toBe(200)
})

it.each([
  ['/verify?token=x%22%3E&type=recovery', 31],
  ['/oauth/authorize?client_id=x', 121],
  ['/authorize?provider=none', 61],
] as const)(
  'the server shows a person a page at %s over its limit',
  { tags: ['gate'] },
  async (path, most) => {
    const from = { 'x-forwarded-for': '10.10.0.1' }
    const visit = (headers: Record<string, string>) =>
      fetch(`${limited.url}/auth/v1${path}`, { headers: { ...from, ...headers } })
    for (let i = 0; i < most; i++) await (await visit({})).body?.cancel()
    const page = await visit({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
    expect([page.status, Number(page.headers.get('retry-after')) > 0]).toEqual([429, true])
    const text = await page.text()
    expect(text).toContain('<h1 class="notice-title">Please try again</h1>')
    expect(text).toContain('Request rate limit reached')
    expect(text).toContain(`href="/auth/v1${path.replaceAll('&', '&amp;')}"`)
    // Programs read the error.
    expect(await (await visit({})).json()).toMatchObject({ error_code: 'over_request_rate_limit' })
  },
)

it('the server shows a person a page when the button of a link is pressed over the limit', async () => {
  const press = async () => {
    const response = await fetch(`${limited.url}/auth/v1/verify`, {
      method: 'POST',
      headers: { 'x-forwarded-for': '10.10.0.2', accept: 'text/html', origin: limited.url },
      body: new URLSearchParams({ token: 'x', type: 'recovery' }),
    })
    return { status: response.status, text: await response.text() }
  }
  for (let i = 0; i < 30; i++) await press()
  const { status, text } = await press()
  expect(status).toBe(429)
  expect(text).toContain('then go back')
  expect(text).not.toContain('notice-action" href')
})

it(
  'the server counts a resent change of address at the new address too',
  { tags: ['gate'] },
  async () => {
    const target = newEmail()
    const askers = await Promise.all(['10.9.0.1', '10.9.0.2'].map(confirmed))
    const aMinuteLater = () =>
      limited.sql(`update auth.budgets set at = at - interval '61 seconds' where key like 'mail %'`)
    for (const [index, email] of askers.entries()) {
      const { body } = await signIn(limited, email, password, `10.9.1.${index}`)
      const change = { method: 'PUT', token: String(body['access_token']), body: { email: target } }
      expect((await request(limited, '/user', { ...change, from: '10.9.2.1' })).status).toBe(200)
      await aMinuteLater()
    }
    const resend = (email: string | undefined, from: string) =>
      request(limited, '/resend', { body: { type: 'email_change', email }, from })
    const sent = async () => (await limited.mailsFor(target)).length
    expect(await sent()).toBe(2)
    expect((await resend(askers[0], '10.9.3.1')).status).toBe(200)
    expect(await sent()).toBe(3)
    // The second account is still within its own limit, and gets the same answer.
    expect((await resend(askers[1], '10.9.3.2')).status).toBe(200)
    expect(await sent()).toBe(3)
    await aMinuteLater()
    expect((await resend(askers[1], '10.9.3.3')).status).toBe(200)
    expect(await sent()).toBe(4)
  },
)

it(
  'the server allows 20 codes of all kinds a day to be tried for an address',
  { tags: ['extended'] },
  async () => {
    const email = await confirmed('10.4.255.1')
    const tryCode = (from: string, token: string) =>
      request(limited, '/verify', { body: { type: 'recovery', email, token }, from })
    let mail = await limited.mailFor(email)
    for (let i = 0; i < 5; i++) {
      await limited.sql(`delete from auth.budgets where key not like 'mail code%'`)
      await request(limited, '/recover', { body: { email }, from: `10.4.0.${i}` })
      mail = await limited.mailFor(email)
      const wrong = mail.code === '000000' ? '111111' : '000000'
      for (let n = 0; n < 5; n++) await tryCode(`10.4.${i}.${n}`, wrong)
    }
    await limited.sql('update auth.one_time_tokens set failures = 0 where email = $1', [email])
    expect((await tryCode('10.4.9.9', mail.code)).status).toBe(403)
    // The owner has the link.
    expect((await pressLink(limited, mail.link)).status).toBe(303)
    // Without the budget the right code would be taken.
    await limited.sql('delete from auth.budgets')
    await request(limited, '/recover', { body: { email }, from: '10.4.8.1' })
    mail = await limited.mailFor(email)
    expect((await tryCode('10.4.9.8', mail.code)).status).toBe(200)
  },
)

it('the server does not count guesses made before a code existed against that code', async () => {
  const email = await confirmed('10.6.255.1')
  const tryCode = (from: string, token: string) =>
    request(limited, '/verify', { body: { type: 'recovery', email, token }, from })
  for (let i = 0; i < 22; i++) expect((await tryCode(`10.6.0.${i}`, '000000')).status).toBe(403)
  await request(limited, '/recover', { body: { email }, from: '10.6.1.1' })
  const { code } = await limited.mailFor(email)
  expect((await tryCode('10.6.1.2', code)).status).toBe(200)
})

it('the server counts a signed-in person’s codes apart from a stranger’s requests for the address', async () => {
  const email = await confirmed('10.7.255.1')
  const token = String((await signIn(limited, email, password)).body['access_token'])
  await request(limited, '/recover', { body: { email }, from: '10.7.0.1' })
  for (let i = 0; i < 20; i++) {
    await limited.sql('update auth.one_time_tokens set failures = 0 where email = $1', [email])
    const body = { type: 'recovery', email, token: 'guess' }
    await request(limited, '/verify', { body, from: `10.7.1.${i}` })
  }
  const change = async (nonce: string) =>
    request(limited, '/user', {
      method: 'PUT',
      token,
      body: { password: 'a better one', nonce },
      from: '10.7.2.1',
    })
  // The address's own are used up: its right code is refused.
  const { code } = await limited.mailFor(email)
  const refused = { type: 'recovery', email, token: code }
  expect((await request(limited, '/verify', { body: refused, from: '10.7.2.2' })).status).toBe(403)
  await limited.sql(`delete from auth.budgets where key not like 'mail code%'`)
  await request(limited, '/reauthenticate', { token, from: '10.7.2.3' })
  const { code: nonce } = await limited.mailFor(email)
  expect((await change('guess')).body['code']).toBe('reauthentication_not_valid')
  expect((await change(nonce)).status).toBe(200)
  const counted = await limited.sql(
    `select round(tokens)::int as left from auth.budgets where key like 'mail code%' order by at desc limit 1`,
  )
  expect(counted).toEqual([{ left: 19 }])
})

it(
  'the server sends no notice within a minute of any email, and answers as if it had',
  { tags: ['extended'] },
  async () => {
    const [email, other] = [await confirmed('10.8.0.1'), await confirmed('10.8.0.2')]
    const { body } = await signIn(limited, other, password, '10.8.0.3')
    const token = String(body['access_token'])
    const subjects = async () =>
      (await limited.mailsFor(email)).map(({ parsed }) => parsed.subject).slice(1)
    const aMinuteLater = async () => {
      await limited.sql(
        `update app.mail_outbox set created_at = created_at - interval '61 seconds'`,
      )
      await limited.sql(`update auth.budgets set at = at - interval '61 seconds'`)
    }
    let asked = 3
    const signUpWith = (address: string) =>
      request(limited, '/signup', { body: { email: address, password }, from: `10.8.0.${++asked}` })
    const changeTo = (address: string) =>
      request(limited, '/user', {
        method: 'PUT',
        token,
        body: { email: address },
        from: `10.8.0.${++asked}`,
      })

    await aMinuteLater()
    await request(limited, '/recover', { body: { email }, from: '10.8.0.90' })
    const [known, unknown] = [await signUpWith(email), await signUpWith(newEmail())]
    expect([known.status, Object.keys(known.body).sort()]).toEqual([
      unknown.status,
      Object.keys(unknown.body).sort(),
    ])
    expect((await changeTo(email)).status).toBe(200)
    expect(await subjects()).toEqual(['Reset your password'])

    await aMinuteLater()
    expect([(await signUpWith(email)).status, (await changeTo(email)).status]).toEqual([200, 200])
    expect((await subjects()).slice(1)).toEqual(['You already have an account'])

    await aMinuteLater()
    await Promise.all([signUpWith(email), changeTo(email)])
    expect((await subjects()).slice(2)).toEqual(['You already have an account'])
  },
)
