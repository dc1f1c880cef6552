import { afterAll, beforeAll, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { TestServer } from '#test/server.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { type Answer, newEmail, officialClient, refresh, request, signIn } from './requests.ts'

let server: MailingServer
let limited: MailingServer
let open: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  const confirming = { ...auth, autoconfirm: false }
  server = await startMailingServer({ auth: confirming })
  limited = await startMailingServer({ auth: confirming, rateLimits: true, trustedProxies: 1 })
  open = await startMailingServer({ auth })
})
afterAll(() => Promise.all([server.close(), limited.close(), open.close()]))

const password = 'correct horse 42'

async function confirmed(to: MailingServer = server, from?: string) {
  const email = newEmail()
  await request(to, '/signup', { body: { email, password }, ...(from !== undefined && { from }) })
  expect((await pressLink(to, (await to.mailFor(email)).link)).status).toBe(303)
  return email
}

/** Types instead of values, and how long lists are. */
function shapeOf(answer: Answer): unknown {
  return [
    answer.status,
    Object.entries(answer.body).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.length : typeof value,
    ]),
  ]
}

/** How many statements the auth door runs for `work`. */
async function statements(to: TestServer, work: () => Promise<unknown>): Promise<number> {
  const { database } = to.context
  const { transactionAs } = database
  let count = 0
  database.transactionAs = (caller, run) =>
    transactionAs(caller, (db) => {
      const counting = caller.role === 'hoplet_auth'
      return run({
        query: (text, values) => {
          // The log of what happened is written whenever there is time.
          if (counting && !text.includes('security_events')) count++
          return db.query(text, values)
        },
      })
    })
  try {
    await work()
  } finally {
    database.transactionAs = transactionAs
  }
  return count
}

it('tells by no answer, and by no difference in work, whether an address has an account (AU3)', async () => {
  const email = await confirmed()
  const calls: [string, Record<string, unknown>][] = [
    ['/recover', {}],
    ['/resend', { type: 'signup' }],
    ['/resend', { type: 'email_change' }],
    // The recovery code that is on its way to the one address only.
    ['/verify', { type: 'recovery', token: '000000' }],
    ['/otp', { create_user: false }],
    ['/signup', { password }],
  ]
  for (const [path, more] of calls) {
    const answers: unknown[] = []
    const work: number[] = []
    for (const address of [email, newEmail()]) {
      work.push(
        await statements(server, async () => {
          answers.push(shapeOf(await request(server, path, { body: { ...more, email: address } })))
        }),
      )
    }
    expect([path, answers[1], work[1]]).toEqual([path, answers[0], work[0]])
  }
  // What this would catch: a door that looks first and is done.
  const wrong = { type: 'recovery', email: newEmail(), token: '123456' }
  expect(await statements(server, () => request(server, '/verify', { body: wrong }))).not.toBe(
    await statements(server, () => request(server, '/verify', { body: {} })),
  )
})

it('tells the owner, and nobody else, when an address is used again', async () => {
  const email = await confirmed()
  const other = await confirmed()
  await request(server, '/signup', { body: { email, password: 'another one' } })
  expect((await server.mailFor(email)).parsed.subject).toBe('You already have an account')
  expect((await signIn(server, email, password)).status).toBe(200)
  // Nor by asking to change to it.
  const client = officialClient(server)
  await client.signInWithPassword({ email: other, password })
  const count = (await server.mailsFor(email)).length
  const { data, error } = await client.updateUser({ email })
  expect([error, data.user?.new_email]).toEqual([null, email])
  const mails = await server.mailsFor(email)
  expect(mails.slice(count).map(({ parsed, link }) => [parsed.subject, link])).toEqual([
    ['You already have an account', `${server.url}/auth`],
  ])
})

it('asks a minute of patience of known and unknown addresses alike (AU13)', async () => {
  const email = await confirmed(limited, '10.1.0.1')
  for (const address of [email, newEmail()]) {
    const ask = (path: string, more = {}) =>
      request(limited, path, { body: { email: address, ...more }, from: '10.1.0.2' })
    expect((await ask('/recover')).status).toBe(200)
    const again = await ask('/recover')
    expect([again.status, again.body['code']]).toEqual([429, 'over_email_send_rate_limit'])
    expect(again.body['message']).toMatch(
      /^For security purposes, you can only request this after (5\d|60) seconds\.$/,
    )
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50)
    expect((await ask('/otp', { create_user: false })).status).toBe(200)
  }
})

it('sends one mail for 100 requests in a minute from 100 addresses (AU13)', async () => {
  const email = await confirmed(limited, '10.2.255.1')
  const before = (await limited.mailsFor(email)).length
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, i) =>
      request(limited, '/recover', { body: { email }, from: `10.2.0.${i}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(99)
  expect((await limited.mailsFor(email)).length - before).toBe(1)
  // A minute later there is one more, from a process that knows of the first only by the database.
  await limited.sql(`update auth.budgets set at = at - interval '1 minute'`)
  const later = await request(limited, '/recover', { body: { email }, from: '10.2.1.1' })
  expect(later.status).toBe(200)
})

it('sends no more than 30 mails an hour for one client, and six at once to one address (AU13)', async () => {
  const answers: Answer[] = []
  for (let i = 0; i < 32; i++) {
    // The door's own limit of 30 in five minutes is not what is tried here.
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

it('spares the mails of one kind whatever a stranger asks for of another (AU13)', async () => {
  const email = await confirmed(limited, '10.5.255.1')
  const ask = (from: string, path: string, more = {}) =>
    request(limited, path, { body: { email, ...more }, from })
  const asked: number[] = []
  for (let i = 0; i < 7; i++) {
    await limited.sql(`delete from auth.budgets where key like 'mail email_change%'`)
    const { status } = await ask(`10.5.0.${i}`, '/resend', { type: 'email_change' })
    asked.push(status)
  }
  // The stranger has used up what there is of that kind.
  expect(asked).toEqual([200, 200, 200, 200, 200, 200, 429])
  expect((await ask('10.5.1.1', '/recover')).status).toBe(200)
  expect((await ask('10.5.1.2', '/otp', { create_user: false })).status).toBe(200)
})

it('lets nobody try more than 20 codes a day for an address, whatever they ask for', async () => {
  const email = await confirmed(limited, '10.4.255.1')
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
  // What this would catch: without the budget the right code is taken.
  await limited.sql('delete from auth.budgets')
  await request(limited, '/recover', { body: { email }, from: '10.4.8.1' })
  mail = await limited.mailFor(email)
  expect((await tryCode('10.4.9.8', mail.code)).status).toBe(200)
})

it('refuses no right code for guesses that could not have been right', async () => {
  const email = await confirmed(limited, '10.6.255.1')
  const tryCode = (from: string, token: string) =>
    request(limited, '/verify', { body: { type: 'recovery', email, token }, from })
  for (let i = 0; i < 22; i++) expect((await tryCode(`10.6.0.${i}`, '000000')).status).toBe(403)
  await request(limited, '/recover', { body: { email }, from: '10.6.1.1' })
  const { code } = await limited.mailFor(email)
  expect((await tryCode('10.6.1.2', code)).status).toBe(200)
})

it('counts a signed-in person’s codes apart from what strangers try for the address', async () => {
  const email = await confirmed(limited, '10.7.255.1')
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

it('lets no name begin a header or stand in a mail (AU13)', async () => {
  const email = newEmail()
  const display_name = 'Ada\r\nBcc: victim@example.com\r\n\r\nClick https://evil.example'
  await request(server, '/signup', { body: { email, password, data: { display_name } } })
  const { raw, parsed } = await server.mailFor(email)
  expect(raw).not.toMatch(/victim@example\.com|evil\.example/)
  expect(parsed.headers.filter(({ key }) => key === 'bcc')).toEqual([])
  expect(server.mailbox.received.filter(({ to }) => to === 'victim@example.com')).toEqual([])
})

// AU7, the ways in which somebody waits in an account with another person's address.

it('leaves a stranger nothing who signed up first: the owner signs up too (AU7)', async () => {
  const email = newEmail()
  await request(server, '/signup', { body: { email, password: 'the stranger’s' } })
  await request(server, '/signup', { body: { email, password } })
  const mail = await server.mailFor(email)
  expect(mail.parsed.text).toContain('with different passwords')
  expect((await pressLink(server, mail.link)).status).toBe(303)
  expect((await signIn(server, email, 'the stranger’s')).status).toBe(400)
  // The other way round nobody could tell who was first.
  expect((await signIn(server, email, password)).status).toBe(400)
})

it('lets the newer sign-up count once the older one’s link is too old (AU7)', async () => {
  const email = newEmail()
  const stranger = { email, password: 'the stranger’s', data: { display_name: 'Mallory' } }
  await request(server, '/signup', { body: stranger })
  await server.sql('update auth.one_time_tokens set expires_at = now() where email = $1', [email])
  await request(server, '/signup', { body: { email, password, data: { display_name: 'Ada' } } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
  expect((await signIn(server, email, 'the stranger’s')).status).toBe(400)
  const { body } = await signIn(server, email, password)
  expect(body.user?.['user_metadata']).toEqual({ display_name: 'Ada' })
})

it('keeps the password of somebody who signs up twice with it', async () => {
  const email = newEmail()
  for (let i = 0; i < 2; i++) await request(server, '/signup', { body: { email, password } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
  expect((await signIn(server, email, password)).status).toBe(200)
})

it.each(['/recover', '/otp'])(
  'leaves a stranger nothing when the owner proves the address by %s (AU7)',
  async (path) => {
    const email = newEmail()
    // Here accounts open without proof, so that the stranger is in, with everything there is.
    const client = officialClient(open)
    const { data } = await client.signUp({
      email,
      password: 'the stranger’s',
      options: { data: { display_name: 'Mallory' } },
    })
    const id = data.user?.id
    await open.sql(
      `insert into auth.identities (user_id, provider, provider_id) values ($1, 'google', $2)`,
      [id, `mallory ${path}`],
    )
    await open.sql(
      `update auth.users set new_email = 'mallory@example.com', email_change_agreed = true where id = $1`,
      [id],
    )
    const kept = data.session?.refresh_token
    const token = data.session?.access_token ?? ''

    await request(open, path, { body: { email } })
    const { fragment } = await pressLink(open, (await open.mailFor(email)).link)
    const mine = await request(open, '/user', { token: fragment.get('access_token') ?? '' })
    expect(mine.body).toMatchObject({ id, email, user_metadata: {} })
    expect(mine.body['identities']).toMatchObject([{ provider: 'email' }])
    expect(mine.body['new_email']).toBeUndefined()

    expect((await request(open, '/user', { token })).status).toBe(403)
    expect((await refresh(open, kept)).status).toBe(400)
    expect((await signIn(open, email, 'the stranger’s')).status).toBe(400)
  },
)

it.each(['/recover', '/otp', '/signup'])(
  'leaves what the operator put into an account when its person comes by %s, and a stranger nothing (AU7)',
  async (path) => {
    const email = newEmail()
    const made = await request(server, '/admin/users', {
      token: server.serviceRoleKey,
      body: { email, password, user_metadata: { display_name: 'Ada' } },
    })
    expect(made.status).toBe(200)
    const stranger = { email, password: 'the stranger’s', data: { display_name: 'Mallory' } }
    await request(server, '/signup', { body: stranger })
    if (path !== '/signup') await request(server, path, { body: { email } })
    const { fragment } = await pressLink(server, (await server.mailFor(email)).link)
    const mine = await request(server, '/user', { token: fragment.get('access_token') ?? '' })
    expect(mine.body).toMatchObject({ email, user_metadata: { display_name: 'Ada' } })
    expect((await signIn(server, email, password)).status).toBe(200)
    expect((await signIn(server, email, 'the stranger’s')).status).toBe(400)
  },
)

it('leaves a proven account as it is when its owner comes back by mail', async () => {
  const email = await confirmed()
  const before = await signIn(server, email, password)
  await request(server, '/otp', { body: { email } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
  expect((await signIn(server, email, password)).status).toBe(200)
  const token = String(before.body['access_token'])
  expect((await request(server, '/user', { token })).status).toBe(200)
})
