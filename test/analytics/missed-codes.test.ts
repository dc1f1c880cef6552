import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { createMissedCodes } from '#server/visits/names/missed-codes.ts'
import { makeApp, tokensFor } from '#test/auth/oauth/oauth-app.ts'
import { makeLink, makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { visit } from '#test/visits/visit.ts'

// Visits to codes that do not exist.

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())
beforeEach(() => server.sql('truncate app.missed_codes, app.former_codes'))

const today = () => new Date().toISOString().slice(0, 10)
const flush = () => server.context.visits.missedCodes.flush()

interface Day {
  code: string
  day: string
  visits: number
  is_free: boolean
}

async function ask(who: Pick<TestUser, 'headers'>, days: object = {}): Promise<Response> {
  return fetch(`${server.url}/rest/v1/rpc/missed_codes`, {
    method: 'POST',
    headers: { ...who.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ _from: today(), _to: today(), ...days }),
  })
}

async function missedBy(who: Pick<TestUser, 'headers'>, days: object = {}): Promise<Day[]> {
  const response = await ask(who, days)
  expect(response.status).toBe(200)
  return (await response.json()) as Day[]
}

async function deleteLink(owner: TestUser, code: string): Promise<void> {
  const response = await fetch(`${server.url}/rest/v1/shortened_urls?short_code=eq.${code}`, {
    method: 'DELETE',
    headers: owner.headers,
  })
  expect(response.status).toBe(204)
  // The server hears that the name is free.
  await vi.waitFor(async () => expect((await visit(server.url, `/${code}`, bot)).status).toBe(302))
}

const bot = { headers: { 'user-agent': 'curl/8.0' } }
let made = 0
async function makeFormer(owner: TestUser): Promise<string> {
  const { short_code: code } = await makeLink(server, owner, { short_code: `former-${made++}` })
  await deleteLink(owner, code)
  return code
}

const rowsOf = (code: string) =>
  server.sql('select day::text, visits::int from app.missed_codes where code = $1', [code])

it('the list of missed codes counts visits of people by UTC day, and no HEAD, prefetch, bot or path below a code', async () => {
  for (const path of ['/no-such', '/No-Such/', '/no-such?utm=1']) await visit(server.url, path)
  await visit(server.url, '/no-such', { method: 'HEAD' })
  await visit(server.url, '/no-such', { headers: { 'sec-purpose': 'prefetch' } })
  await visit(server.url, '/no-such', bot)
  await visit(server.url, '/no-such/go/00000000-0000-4000-8000-000000000000')
  await visit(server.url, '/no-such/below')
  await visit(server.url, '/dashboard')
  await flush()
  await visit(server.url, '/no-such')
  await flush()
  expect(await server.sql('select code, day::text, visits::int from app.missed_codes')).toEqual([
    { code: 'no-such', day: today(), visits: 4 },
  ])
})

it('a link that is there is not among them', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const { short_code: code } = await makeLink(server, owner)
  await visit(server.url, `/${code}`)
  await flush()
  expect(await rowsOf(code)).toEqual([])
})

it('owners see their former codes only, admins all, and visitors none', async () => {
  const ann = await makeUser(server, { plan: 'pro' })
  const bob = await makeUser(server, { plan: 'pro' })
  const admin = await makeUser(server, { plan: 'pro', role: 'admin' })
  const [hers, his] = [await makeFormer(ann), await makeFormer(bob)]
  for (const code of [hers, hers, his, 'made-up']) await visit(server.url, `/${code}`)
  await flush()
  const row = (code: string, visits: number) => ({ code, day: today(), visits, is_free: true })
  expect(await missedBy(ann)).toEqual([row(hers, 2)])
  expect(await missedBy(bob)).toEqual([row(his, 1)])
  expect(await missedBy(admin)).toEqual([row(hers, 2), row(his, 1), row('made-up', 1)])
  expect((await ask({ headers: { apikey: server.anonKey } })).status).toBe(401)
})

it('a code that is a link again, or that another account has, is not listed', async () => {
  const ann = await makeUser(server, { plan: 'business' })
  const bob = await makeUser(server, { plan: 'business' })
  const admin = await makeUser(server, { plan: 'pro', role: 'admin' })
  const [again, taken, held] = [await makeFormer(ann), await makeFormer(ann), await makeFormer(ann)]
  for (const code of [again, taken, held]) await visit(server.url, `/${code}`)
  await flush()
  expect(await missedBy(ann)).toHaveLength(3)
  await makeLink(server, ann, { short_code: again })
  await makeLink(server, bob, { short_code: taken })
  const link = await makeLink(server, bob, { short_code: held })
  await server.sql('update app.shortened_urls set click_count = 1 where id = $1', [link.id])
  await deleteLink(bob, held)
  expect(await missedBy(ann)).toEqual([])
  expect(await missedBy(bob)).toMatchObject([{ code: held, is_free: true }])
  expect(await missedBy(admin)).toMatchObject([{ code: held, is_free: false }])
})

it('the list of missed codes follows the plan, the range, and the scopes of an app', async () => {
  const owner = await makeUser(server)
  const code = await makeFormer(owner)
  await visit(server.url, `/${code}`)
  await flush()
  const refused = await ask(owner)
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { message: 'Upgrade to view clicks', hint: 'plan' },
  ])
  await server.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [owner.id])
  expect(await missedBy(owner)).toHaveLength(1)
  expect(await missedBy(owner, { _from: '2020-01-01', _to: '2020-01-02' })).toEqual([])
  expect((await ask(owner, { _from: today(), _to: '2020-01-01' })).status).toBe(400)
  const statusFor = async (scope: string) => {
    const app = await makeApp(server)
    const { access_token } = await tokensFor(server, owner, app, scope)
    return (
      await ask({ headers: { apikey: server.anonKey, authorization: `Bearer ${access_token}` } })
    ).status
  }
  expect(await statusFor('links:read')).toBe(200)
  expect(await statusFor('popups:read')).toBe(403)
})

it('a flood of made-up codes leaves 1,000 a day, with those that an account once had and those with most visits', async () => {
  const owner = await makeUser(server, { plan: 'pro' })
  const former = await makeFormer(owner)
  await visit(server.url, `/${former}`)
  await flush()
  const add = (from: number, visits: number, count = 4_000) =>
    server.sql(`select app.add_missed_visits((select jsonb_object_agg('z' || n, ${visits})
      from generate_series(${from}, ${from + count - 1}) n))`)
  await server.sql(`select app.add_missed_visits('{"zz-often": 50}')`)
  for (let round = 0; round < 5; round++) await add(round * 4_000, 2)
  expect(await server.sql('select count(*)::int as n from app.missed_codes')).toEqual([
    { n: 1_000 },
  ])
  expect(await rowsOf(former)).toMatchObject([{ visits: 1 }])
  expect(await rowsOf('zz-often')).toMatchObject([{ visits: 50 }])
  // The control: a code that no account ever had, with a single visit, does not survive.
  await server.sql(`select app.add_missed_visits('{"a-single": 1}')`)
  expect(await rowsOf('a-single')).toEqual([])
  expect(await missedBy(owner)).toMatchObject([{ code: former, visits: 1 }])
})

it('memory has a bound, and visits of a failed flush wait for the next one', async () => {
  const flushed: Record<string, number>[] = []
  let isDown = true
  const database = {
    ...server.context.database,
    transactionAs: (async (_caller, work) =>
      work({
        query: async (_text: string, [visits]: string[]) => {
          if (isDown) throw new Error('down')
          flushed.push(JSON.parse(visits ?? '') as Record<string, number>)
          return { rows: [] }
        },
      } as never)) as typeof server.context.database.transactionAs,
  }
  const codes = createMissedCodes({ database, log: createLog('fatal'), maxCodes: 100 })
  for (let n = 0; n < 1_000; n++) {
    codes.count('often')
    codes.count(`made-up-${n}`)
  }
  await codes.flush()
  isDown = false
  await codes.close()
  expect(flushed).toHaveLength(1)
  expect(Object.keys(flushed[0] ?? {})).toHaveLength(100)
  expect(flushed[0]?.['often']).toBe(1_000)
})

it('several servers of one database add up, and one that ends loses none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-missed-'))
  const second = await startHoplet(
    createConfig(
      parseVariables({
        PORT: '0',
        DATA_DIR: dataDir,
        DATABASE_URL: server.databaseUrl,
        RATE_LIMITS: 'off',
        CLICK_RESERVE_MB: '0',
      }),
    ),
    createLog('fatal'),
  )
  try {
    for (const url of [server.url, second.url, second.url]) await visit(url, '/shared-miss')
    await Promise.all([flush(), second.context.visits.missedCodes.flush()])
    await visit(second.url, '/shared-miss')
  } finally {
    await second.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  expect(await rowsOf('shared-miss')).toEqual([{ day: today(), visits: 4 }])
})

it('an account keeps its newest 1,000 former codes, of links and pages, until it is deleted', async () => {
  const owner = await makeUser(server, { plan: 'business' })
  const { id } = owner
  const first = await makeFormer(owner)
  await server.sql(
    `insert into app.bio_pages (user_id, slug, title) values ($1, 'former-page', 'Page')`,
    [id],
  )
  await server.sql('delete from app.bio_pages where user_id = $1', [id])
  const codes = async () =>
    (
      await server.sql<{ code: string }>(
        'select code from app.former_codes where user_id = $1 order by ended_at desc',
        [id],
      )
    ).map(({ code }) => code)
  expect(await codes()).toEqual(['former-page', first])
  await server.sql(`begin; set local session_replication_role = replica;
    insert into app.shortened_urls (user_id, short_code, original_url)
      select '${id}', 'bulk' || n, 'https://example.com/' from generate_series(1, 1500) n;
    commit`)
  await server.sql('delete from app.shortened_urls where user_id = $1', [id])
  expect(await codes()).toHaveLength(1_000)
  expect(await codes()).not.toContain(first)
  await makeLink(server, owner)
  await server.sql('delete from auth.users where id = $1', [id])
  expect(await codes()).toEqual([])
})

it('days are deleted after 90 days', async () => {
  await server.sql(`insert into app.missed_codes (code, day, visits)
    select 'old-code', app.today() - n, 1 from unnest(array[0, 90, 91]) n`)
  await server.context.retention.run()
  expect(await rowsOf('old-code')).toHaveLength(2)
})
