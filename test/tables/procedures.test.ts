import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, makeAccounts, send } from './accounts.ts'

let server: TestServer
let ann: Account
let bob: Account

beforeAll(async () => {
  server = await sharedServer()
  ann = await makeAccount(server, { plan: 'pro' })
  bob = await makeAccount(server, { plan: 'pro' })
})
const rpc = (who: Account | undefined, name: string, args: unknown) =>
  send(server, who, 'POST', `rpc/${name}`, args)
const create = (who: Account, code?: string) =>
  send(server, who, 'POST', 'shortened_urls', {
    user_id: who.id,
    original_url: 'https://example.com/',
    ...(code !== undefined && { short_code: code }),
  })

async function counters(): Promise<unknown> {
  return server.sql(
    `select (select json_agg(u order by user_id) from app.user_usage u) as usage,
       (select json_agg(r) from app.referrals r) as referrals, (select json_agg(a) from app.affiliate_codes a) as codes`,
  )
}

it.each(['can_create_url', 'increment_url_usage', 'increment_qr_usage', 'track_referral'])(
  'the table door refuses %s for another account, and to people who are not signed in',
  async (name) => {
    await server.sql(
      `insert into app.affiliate_codes (user_id, code) values ($1, 'ANNCODE1') on conflict do nothing`,
      [ann.id],
    )
    const args =
      name === 'track_referral'
        ? { _referred_user_id: bob.id, _referrer_code: 'ANNCODE1' }
        : name === 'increment_qr_usage'
          ? { _user_id: bob.id }
          : { _user_id: bob.id, _is_custom: true }
    const before = await counters()
    expect(await rpc(ann, name, args)).toMatchObject({ status: 403, body: { code: '42501' } })
    expect(await rpc(undefined, name, args)).toMatchObject({ status: 401, body: { code: '42501' } })
    const otherIds = Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, key.endsWith('user_id') ? null : value]),
    )
    expect(await rpc(ann, name, otherIds)).toMatchObject({ status: 403 })
    expect(await counters()).toEqual(before)
  },
)

it('session_facts are the plan, the role and the time zone of the caller', async () => {
  const one = await makeAccount(server, { plan: 'business' })
  const ask = () => send(server, one, 'GET', 'rpc/session_facts')
  expect(await ask()).toMatchObject({
    status: 200,
    body: { plan_type: 'business', role: 'user', time_zone: null },
  })
  await rpc(one, 'set_time_zone', { _zone: 'Asia/Tokyo' })
  await server.sql('delete from app.user_plans where user_id = $1', [one.id])
  expect(await ask()).toMatchObject({
    body: { plan_type: 'free', role: 'user', time_zone: 'Asia/Tokyo' },
  })
  const admin = await makeAccount(server, { role: 'admin' })
  expect((await send(server, admin, 'GET', 'rpc/session_facts')).body).toMatchObject({
    role: 'admin',
  })
  expect(await send(server, undefined, 'GET', 'rpc/session_facts')).toMatchObject({ status: 401 })
})

it('the table door returns the remaining limits', async () => {
  const one = await makeAccount(server)
  const ask = async (custom: boolean) =>
    (await rpc(one, 'can_create_url', { _user_id: one.id, _is_custom: custom })).body
  expect(await ask(false)).toEqual({
    canCreate: true,
    limit: 50,
    current: 0,
    limitType: 'lifetime',
    plan: 'free',
    kind: 'url',
  })
  await create(one, 'ask-one')
  await create(one, 'ask-two')
  expect(await ask(true)).toEqual({
    canCreate: false,
    limit: 2,
    current: 2,
    limitType: 'lifetime',
    plan: 'free',
    kind: 'custom',
  })
  expect(await ask(false)).toMatchObject({ canCreate: true, current: 2 })
})

it('the table door answers GET for stable functions only', async () => {
  const asked = await send(
    server,
    ann,
    'GET',
    `rpc/can_create_url?_user_id=${ann.id}&_is_custom=false`,
  )
  expect(asked).toMatchObject({ status: 200, body: { plan: 'pro', limit: 50 } })
  const counted = await send(server, ann, 'GET', `rpc/increment_qr_usage?_user_id=${ann.id}`)
  expect(counted.status).toBe(405)
  expect(counted.headers.get('allow')).toBe('POST')
})

it('the table door charges once, however often increment_url_usage is called', async () => {
  const one = await makeAccount(server)
  await create(one, 'charged-once')
  await create(one)
  for (let i = 0; i < 3; i++) {
    expect(
      (await rpc(one, 'increment_url_usage', { _user_id: one.id, _is_custom: true })).status,
    ).toBe(204)
  }
  const { body } = await send(server, one, 'GET', `user_usage?user_id=eq.${one.id}`)
  expect(body).toEqual([
    {
      user_id: one.id,
      total_custom_codes: 1,
      total_shortened_urls: 2,
      daily_custom_codes: 1,
      daily_shortened_urls: 2,
      daily_qr_codes: 0,
    },
  ])
})

it('the table door lets 50 of 60 QR downloads at once pass on pro, and does not check the free plan', async () => {
  const one = await makeAccount(server, { plan: 'pro' })
  const answers = await Promise.all(
    Array.from({ length: 60 }, () => rpc(one, 'increment_qr_usage', { _user_id: one.id })),
  )
  expect(answers.filter(({ body }) => (body as { allowed: boolean }).allowed)).toHaveLength(50)
  await server.sql('update app.user_usage set day = day - 1 where user_id = $1', [one.id])
  expect((await rpc(one, 'increment_qr_usage', { _user_id: one.id })).body).toMatchObject({
    allowed: true,
    current: 1,
  })
  const free = await makeAccount(server)
  expect((await rpc(free, 'increment_qr_usage', { _user_id: free.id })).body).toMatchObject({
    allowed: true,
  })
})

it('the table door records one referrer, an older account, within a day of sign-up', async () => {
  const [old, young, other] = await makeAccounts(server, 3)
  if (!old || !young || !other) throw new Error('three accounts')
  await server.sql(
    `update auth.users set created_at = created_at - interval '2 days' where id = any ($1)`,
    [[old.id, other.id]],
  )
  await server.sql(
    `insert into app.affiliate_codes (user_id, code) values ($1, 'OLDCODE1'), ($2, 'YOUNGCD1'), ($3, 'OTHERCD1')`,
    [old.id, young.id, other.id],
  )
  const track = async (who: Account, code: string) =>
    (await rpc(who, 'track_referral', { _referred_user_id: who.id, _referrer_code: code })).body
  expect(await track(young, 'unknown0')).toBe(false)
  expect(await track(young, 'YOUNGCD1')).toBe(false)
  expect(await track(young, ' oldcode1 ')).toBe(true)
  expect(await track(young, 'OTHERCD1')).toBe(false)
  expect(await track(old, 'YOUNGCD1')).toBe(false)
  const { body } = await send(server, old, 'GET', 'affiliate_codes?select=code,total_referrals')
  expect(body).toEqual([{ code: 'OLDCODE1', total_referrals: 1 }])
})

it('the table door counts a visit for anyone, one at a time, with any number sent', async () => {
  await create(ann, 'visited')
  const clicks = async () =>
    (
      await server.sql<{ n: string }>(
        `select click_count as n from app.shortened_urls where short_code = 'visited'`,
      )
    )[0]?.n
  const path = 'shortened_urls?short_code=eq.visited'
  expect((await send(server, undefined, 'PATCH', path, { click_count: 1_000_000 })).status).toBe(
    204,
  )
  expect(await clicks()).toBe('1')
  expect((await send(server, bob, 'PATCH', path, { click_count: -5 })).status).toBe(204)
  expect(await clicks()).toBe('2')
  expect((await rpc(undefined, 'count_visit', { short_code: 'visited' })).body).toBe(true)
  expect((await rpc(undefined, 'count_visit', { short_code: 'missing' })).body).toBe(false)
  expect(await clicks()).toBe('3')
  // With anything else beside it, it is an update like any other.
  for (const [where, body] of [
    [path, { click_count: 9, original_url: 'https://evil.example/' }],
    ['shortened_urls?original_url=eq.https://example.com/', { click_count: 9 }],
    ['shortened_urls?short_code=like.*', { click_count: 9 }],
    [`${path}&id=not.is.null`, { click_count: 9 }],
    ['shortened_urls', { click_count: 9 }],
  ] as const) {
    expect((await send(server, undefined, 'PATCH', where, body)).status).toBe(401)
    expect((await send(server, ann, 'PATCH', where, body)).status).toBe(403)
  }
  expect(await clicks()).toBe('3')
})

it('the table door counts a bio visit for anyone, by slug', async () => {
  await send(server, ann, 'POST', 'bio_pages', { user_id: ann.id, slug: 'ann-page', title: 'Ann' })
  expect((await rpc(undefined, 'increment_bio_visit', { slug: 'ann-page' })).status).toBe(204)
  expect((await rpc(undefined, 'increment_bio_visit', { slug: 'unknown' })).status).toBe(204)
  const { body } = await send(server, ann, 'GET', 'bio_pages?select=visit_count')
  expect(body).toEqual([{ visit_count: 1 }])
})

it("the table door searches only the caller's own links, newest first, page by page", async () => {
  const [one, two] = await makeAccounts(server, 2)
  if (!one || !two) throw new Error('two accounts')
  for (const who of [one, two]) {
    await server.sql(
      `insert into app.shortened_urls (user_id, original_url, created_at)
       select $1, 'https://example.com/' || case when n % 2 = 0 then 'Pear_' else 'apple%' || '25' end || n, now() - n * interval '1 minute'
       from generate_series(1, 20) n`,
      [who.id],
    )
  }
  const search = async (args: object) =>
    (await rpc(one, 'search_links', args)).body as {
      id: string
      user_id: string
      original_url: string
      created_at: string
    }[]
  const found = await search({ _query: 'pear' })
  expect(found.map((row) => row.original_url)).toEqual(
    Array.from({ length: 10 }, (_, i) => `https://example.com/Pear_${2 * (i + 1)}`),
  )
  expect(found.every((row) => row.user_id === one.id)).toBe(true)
  const first = await search({ _query: 'PEAR', _limit: 4 })
  const last = first[3]
  const second = await search({
    _query: 'PEAR',
    _limit: 4,
    _before_created_at: last?.created_at,
    _before_id: last?.id,
  })
  expect([...first, ...second].map(({ id }) => id)).toEqual(found.slice(0, 8).map(({ id }) => id))
  expect(await search({ _query: 'p_ar' })).toEqual([])
  expect(await search({ _query: 'pear%1' })).toEqual([])
  expect(await search({ _query: '\\' })).toEqual([])
})

it('the table door answers wrong calls in the words of the protocol', async () => {
  expect(await rpc(ann, 'no_such_function', {})).toMatchObject({
    status: 404,
    body: { code: 'PGRST202' },
  })
  expect(await rpc(ann, 'can_create_url', {})).toMatchObject({
    status: 404,
    body: { code: 'PGRST202' },
  })
  expect(await rpc(ann, 'can_create_url', { _user_id: ann.id, extra: 1 })).toMatchObject({
    status: 404,
    body: { code: 'PGRST202' },
  })
  expect(await rpc(ann, 'can_create_url', { _user_id: 'not a uuid' })).toMatchObject({
    status: 400,
    body: { code: '22P02' },
  })
  expect(await rpc(ann, 'can_create_url', [1])).toMatchObject({
    status: 400,
    body: { code: 'PGRST102' },
  })
  expect(await send(server, ann, 'DELETE', 'rpc/can_create_url')).toMatchObject({
    status: 405,
    body: { code: 'PGRST117' },
  })
})
