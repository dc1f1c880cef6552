import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authRoute } from '#server/auth/call.ts'
import { recover } from '#server/auth/email-flows/requests.ts'
import { mailWorkMs } from '#server/auth/guards.ts'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createRouter, type HttpEnvironment } from '#server/http/router.ts'
import { makeUser } from '#test/factories.ts'
import { send } from '#test/tables/accounts.ts'
import { callWebhooks, webhookConfig } from '#test/webhooks/calls.ts'
import { startReceiver } from '#test/webhooks/receiver.ts'
import { type MailingServer, pressLink, startMailingServer } from './mailbox.ts'
import { type Answer, newEmail, officialClient, refresh, request, signIn } from '../requests.ts'

let server: MailingServer
let open: MailingServer
beforeAll(async () => {
  const { auth } = createConfig(parseVariables({}))
  const confirming = { ...auth, autoconfirm: false }
  server = await startMailingServer({ auth: confirming })
  open = await startMailingServer({ auth, ...webhookConfig() })
})
afterAll(() => Promise.all([server.close(), open.close()]))

const password = 'correct horse 42'

async function confirmed() {
  const email = newEmail()
  await request(server, '/signup', { body: { email, password } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
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

const calls: [string, Record<string, unknown>][] = [
  ['/recover', {}],
  ['/resend', { type: 'signup' }],
  ['/resend', { type: 'email_change' }],
  // A recovery code was sent to the known address only.
  ['/verify', { type: 'recovery', token: '000000' }],
  ['/otp', { create_user: false }],
  ['/signup', { password }],
]

it('the server answers alike whether an address has an account or not', async () => {
  const email = await confirmed()
  for (const [path, more] of calls) {
    const shapes = []
    for (const address of [email, newEmail()])
      shapes.push(shapeOf(await request(server, path, { body: { ...more, email: address } })))
    expect([path, shapes[1]]).toEqual([path, shapes[0]])
  }
})

/** Makes the statements that only an address with an account causes slower, for as long as `work` takes. */
async function withSlowEmails<T>(work: () => Promise<T>): Promise<T> {
  const { database } = server.context
  const { transactionAs } = database
  database.transactionAs = (actor, run) =>
    transactionAs(actor, (db) =>
      run({
        async query(text, values) {
          if (actor.role === 'hoplet_auth' && /insert into (app\.mail|auth\.one_time)/.test(text))
            await sleep(30)
          return db.query(text, values)
        },
      }),
    )
  try {
    return await work()
  } finally {
    database.transactionAs = transactionAs
  }
}

/** The fastest of twenty, without the delays of a busy machine. */
async function fastest(ask: () => Promise<unknown>): Promise<number> {
  const times = []
  for (let round = 0; round < 20; round++) {
    const started = performance.now()
    await ask()
    times.push(performance.now() - started)
  }
  return Math.min(...times)
}

it(
  'the server takes the same time for an address with an account as for one without',
  { tags: ['extended'] },
  async () => {
    const email = await confirmed()
    const recovery = (address: string) => request(server, '/recover', { body: { email: address } })
    const unguarded = startUnguarded(server)
    const recoverUnguarded = (address: string) =>
      unguarded.request('/recover', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: address }),
      })
    await withSlowEmails(async () => {
      const known = await fastest(() => recovery(email))
      const unknown = await fastest(() => recovery(newEmail()))
      expect(Math.min(known, unknown)).toBeGreaterThanOrEqual(mailWorkMs - 2)
      expect(Math.abs(known - unknown)).toBeLessThan(25)
      // Without the minimum the same work shows.
      const difference =
        (await fastest(async () => recoverUnguarded(email))) -
        (await fastest(async () => recoverUnguarded(newEmail())))
      expect(difference).toBeGreaterThan(45)
    })
  },
)

/** The route for a recovery without its guards. */
function startUnguarded({ context }: MailingServer): Hono<HttpEnvironment> {
  const area = createRouter({
    routes: [authRoute('POST', '/recover', [], recover)],
    toCall: (call) => ({ ...call, deps: context }),
    notFound: () => new Error('not found'),
    methodNotAllowed: () => new Error('not allowed'),
    toResponse: () => undefined,
  })
  return new Hono<HttpEnvironment>()
    .use(async (c, next) => {
      const place = context.hosts.placeOf({})
      c.set('info', { address: '127.0.0.1', place, requestId: 'test', log: context.log })
      await next()
    })
    .route('/', area)
}

it('the server tells only the owner when an address is used again', async () => {
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

it('an account shows alike whether its new address is taken', async () => {
  const shown = async (newAddress: string) => {
    const email = await confirmed()
    // Its own address is not asked then.
    await server.sql('update auth.users set email_proven_at = null where email = $1', [email])
    const client = officialClient(server)
    await client.signInWithPassword({ email, password })
    const { data, error } = await client.updateUser({ email: newAddress })
    expect(error).toBeNull()
    const fields = Object.entries(data.user ?? {}).filter(([, value]) => value !== undefined)
    return fields.map(([name]) => name).sort()
  }
  const taken = await shown(await confirmed())
  expect(taken).toEqual(await shown(newEmail()))
  expect(taken).toContain('email_change_sent_at')
})

it('the server lets no display name start a header or appear in an email', async () => {
  const email = newEmail()
  const display_name = 'Ada\r\nBcc: victim@example.com\r\n\r\nClick https://evil.example'
  await request(server, '/signup', { body: { email, password, data: { display_name } } })
  const { raw, parsed } = await server.mailFor(email)
  expect(raw).not.toMatch(/victim@example\.com|evil\.example/)
  expect(parsed.headers.filter(({ key }) => key === 'bcc')).toEqual([])
  expect(server.mailbox.received.filter(({ to }) => to === 'victim@example.com')).toEqual([])
})

// The ways in which a stranger waits in an account that they opened with another person's address.

it('the server leaves a stranger who signed up first nothing, once the owner signs up too', async () => {
  const email = newEmail()
  await request(server, '/signup', { body: { email, password: 'the stranger’s' } })
  await request(server, '/signup', { body: { email, password } })
  const mail = await server.mailFor(email)
  expect(mail.parsed.text).toContain('with different passwords')
  expect((await pressLink(server, mail.link)).status).toBe(303)
  expect((await signIn(server, email, 'the stranger’s')).status).toBe(400)
  // The other way round the server could not tell the first person.
  expect((await signIn(server, email, password)).status).toBe(400)
})

it('the server lets the newer sign-up count once the older one’s link has expired', async () => {
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

it('the server gives a renewed sign-up its display name and its referrer, even days later', async () => {
  const email = newEmail()
  const [referrer, other] = [await makeUser(server), await makeUser(server)]
  await server.sql(
    `insert into app.affiliate_codes (user_id, code) values ($1, 'RENEWED1'), ($2, 'RENEWED2')`,
    [referrer.id, other.id],
  )
  const signUp = (secret: string, display_name: string, referral_code: string) =>
    request(server, '/signup', {
      body: { email, password: secret, data: { display_name, referral_code } },
    })
  const claims = () =>
    server.sql(
      `select p.display_name, r.referrer_user_id as referrer from app.profiles p
        left join app.referrals r on r.referred_user_id = p.id where p.email = $1`,
      [email],
    )
  await signUp('the stranger’s', 'Mallory', 'RENEWED2')
  expect(await claims()).toEqual([{ display_name: 'Mallory', referrer: other.id }])
  // While both links could be pressed neither sign-up counts.
  await signUp(password, 'Ada', 'RENEWED1')
  expect(await claims()).toEqual([{ display_name: null, referrer: null }])
  await server.sql('update auth.one_time_tokens set expires_at = now() where email = $1', [email])
  await server.sql(
    `update auth.users set created_at = now() - interval '3 days' where email = $1`,
    [email],
  )
  await signUp(password, 'Ada', 'RENEWED1')
  expect(await claims()).toEqual([{ display_name: 'Ada', referrer: referrer.id }])
})

it('the server keeps the password of a person who signs up twice with it', async () => {
  const email = newEmail()
  for (let i = 0; i < 2; i++) await request(server, '/signup', { body: { email, password } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
  expect((await signIn(server, email, password)).status).toBe(200)
})

it.each(['/recover', '/otp'])(
  'the server leaves a stranger nothing when the owner proves the address by %s',
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
    const headersOf = (held: string | null): Record<string, string> => ({
      apikey: open.anonKey,
      authorization: `Bearer ${held}`,
    })
    const theirs = { headers: headersOf(token) }
    const receiver = await startReceiver()
    const webhook = { url: receiver.url, events: ['link.created', 'popup.email_given'] }
    expect((await callWebhooks(open, theirs.headers, 'POST', '', webhook)).status).toBe(201)
    const apiKey = { name: 'Mallory’s', scopes: ['links:read'], expires_in_days: null }
    expect((await request(open, '/user/api-keys', { token, body: apiKey })).status).toBe(201)
    const mails = { _milestones: true, _weekly: true }
    expect((await send(open, theirs, 'POST', 'rpc/set_click_mails', mails)).status).toBe(204)
    const repeatable = { 'idempotency-key': 'mine', prefer: 'return=representation' }
    const makeLinkTo = (who: { headers: Record<string, string> }, original_url: string) =>
      send(open, who, 'POST', 'shortened_urls', { original_url, user_id: id }, repeatable)
    expect((await makeLinkTo(theirs, 'https://stranger.example/')).status).toBe(201)
    await expect.poll(() => receiver.arrivals.length).toBe(1)

    await request(open, path, { body: { email } })
    const { fragment } = await pressLink(open, (await open.mailFor(email)).link)
    const mine = await request(open, '/user', { token: fragment.get('access_token') ?? '' })
    expect(mine.body).toMatchObject({ id, email, user_metadata: {} })
    expect(mine.body['identities']).toMatchObject([{ provider: 'email' }])
    expect(mine.body['new_email']).toBeUndefined()

    expect((await request(open, '/user', { token })).status).toBe(403)
    expect((await refresh(open, kept)).status).toBe(400)
    expect((await signIn(open, email, 'the stranger’s')).status).toBe(400)

    // Agents of the stranger: their webhook, their key, the mails that they wanted, the answer to their request.
    const owner = { headers: headersOf(fragment.get('access_token')) }
    expect((await callWebhooks(open, owner.headers, 'GET')).webhooks).toEqual([])
    const url = 'https://owner.example/'
    expect((await makeLinkTo(owner, url)).body).toMatchObject([{ original_url: url }])
    const wanted = await send(open, owner, 'POST', 'rpc/click_mails', {})
    expect(wanted.body).toEqual({ milestones: false, weekly: false, health: null })
    expect(await open.sql('select id from auth.api_keys where user_id = $1', [id])).toEqual([])
    const waiting = await open.sql(
      `select e.id from app.webhook_events e where e.body like '%owner.example%'`,
    )
    expect(waiting).toEqual([])
    expect(receiver.arrivals).toHaveLength(1)
    await receiver.close()
  },
)

it('the server has decided for every table that belongs to an account whether its rows go with a stranger', async () => {
  const tables = await open.sql<{ name: string }>(
    `select distinct c.conrelid::regclass::text as name from pg_constraint c
      where c.contype = 'f' and c.confrelid = 'auth.users'::regclass and c.conparentid = 0 order by 1`,
  )
  const go =
    'auth.api_keys auth.factors auth.flow_states auth.identities auth.oauth_authorizations auth.oauth_consents ' +
    'auth.one_time_tokens auth.sessions app.archives app.webhooks app.click_mails app.own_visitors app.idempotent_requests app.imports app.invitations app.members app.shared_reports app.spaces'
  // Links and pages with their parts, money and counts, and records about them.
  const stay =
    'app.affiliate_codes app.ai_usage app.audiences app.billing_customers app.bio_pages app.click_scopes app.day_notes app.destination_checks app.domains app.erased_addresses app.former_codes app.former_domains app.import_sources app.link_moves app.media app.names ' +
    'app.placements app.popups app.profiles app.qr_downloads app.qr_looks app.shortened_urls app.tags app.utm_templates app.user_plans app.user_roles app.user_usage auth.app_changes'
  expect(tables.map(({ name }) => name)).toEqual(`${go} ${stay}`.split(' ').toSorted())
})

it.each(['/recover', '/otp', '/signup'])(
  'the server keeps data of the operator in an account when its owner comes by %s, and nothing of a stranger',
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

it('the server leaves a proven account as it is when its owner comes back by mail', async () => {
  const email = await confirmed()
  const before = await signIn(server, email, password)
  await request(server, '/otp', { body: { email } })
  expect((await pressLink(server, (await server.mailFor(email)).link)).status).toBe(303)
  expect((await signIn(server, email, password)).status).toBe(200)
  const token = String(before.body['access_token'])
  expect((await request(server, '/user', { token })).status).toBe(200)
})
