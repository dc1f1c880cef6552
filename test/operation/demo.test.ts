/** @module-tag extended */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Demo, makeDemo, describeDemo } from '../../scripts/demo/demo.ts'
import { makeUser } from '../factories.ts'
import { startTestServer, type TestServer } from '../server.ts'
import { visit } from '../visits/visit.ts'

let server: TestServer
let demo: Demo | undefined
beforeAll(async () => {
  server = await startTestServer({ rateLimits: true })
  demo = await makeDemo(server)
})
afterAll(() => server.close())

interface Session {
  access_token: string
  user: { id: string }
}

async function signIn(email: string): Promise<Session> {
  const response = await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: { apikey: server.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: demo?.password }),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Session
}

async function call<Answer>(token: string, name: string, body: object): Promise<Answer> {
  const response = await fetch(`${server.url}/rest/v1/rpc/${name}`, {
    method: 'POST',
    headers: {
      apikey: server.anonKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  return (await response.json()) as Answer
}

const monthsAgo = (months: number) => ({
  _from: new Date(Date.now() - months * 30 * 86_400_000).toISOString(),
  _to: new Date(Date.now() + 60_000).toISOString(),
})

async function everything(): Promise<unknown> {
  return server.sql(`select (select count(*) from auth.users) as people, (select count(*) from app.click_events where at < now() - interval '1 minute') as clicks,
    (select count(*) from app.shortened_urls) as links, (select count(*) from app.commissions) as lines,
    (select count(*) from app.abuse_reports) as reports`)
}

it('the demo creates accounts of every kind that can sign in', async () => {
  const told = describeDemo(demo ?? { password: '', accounts: [] })
  for (const name of ['free', 'pro', 'business', 'admin', 'affiliate']) {
    expect(told).toContain(`${name}@demo.example`)
    const { user } = await signIn(`${name}@demo.example`)
    const [row] = await server.sql<{ plan_type: string; role: string }>(
      `select plan_type, role from app.user_plans join app.user_roles using (user_id) where user_id = $1`,
      [user.id],
    )
    expect(row).toEqual({
      plan_type: ['pro', 'business'].includes(name) ? name : 'free',
      role: name === 'admin' ? 'admin' : 'user',
    })
  }
  expect(told).toContain(demo?.password ?? 'no password')
})

it('the demo creates links with a history, and pages and popups that visitors can open', async () => {
  expect((await visit(server.url, '/harbour')).body).toContain('Reading night this Thursday')
  expect((await visit(server.url, '/sam')).body).toContain('Made with Hoplet')
  expect((await visit(server.url, '/mika-kiln')).status).toBe(302)
  const [counts] = await server.sql<{ off: string; days: string; clicks: string }>(
    `select count(*) filter (where l.click_count <> e.n) as off, max(e.days) as days, sum(l.click_count) as clicks
      from app.shortened_urls l join (select s.ref, count(*) filter (where e.verdict in ('c', 'r', 'o')) as n,
        count(distinct e.at::date) as days from app.click_events e join app.click_scopes s on s.id = e.scope group by 1) e on e.ref = l.id
      where l.short_code <> 'mika-kiln'`,
  )
  expect(Number(counts?.off)).toBe(0)
  expect(Number(counts?.days)).toBeGreaterThan(40)
  expect(Number(counts?.clicks)).toBeGreaterThan(2_000)
})

it('the demo creates links that rise and links that fall, in uneven lists', async () => {
  const trends = await server.sql<{ now: number; before: number }>(
    `select count(*) filter (where e.at >= now() - interval '30 days')::int as now,
        count(*) filter (where e.at < now() - interval '30 days')::int as before
      from app.click_events e join app.click_scopes s on s.id = e.scope
      join app.shortened_urls l on l.id = s.ref group by l.id having count(*) > 30`,
  )
  expect(trends.filter(({ now, before }) => now > before * 1.15).length).toBeGreaterThan(2)
  expect(trends.filter(({ now, before }) => now < before * 0.85).length).toBeGreaterThan(2)
  const { access_token: token } = await signIn('business@demo.example')
  for (const _by of ['country', 'referrer', 'device']) {
    const report = await call<{ clicks: number; rows: { clicks: number }[] }>(
      token,
      'click_report',
      { _scope: 'account', _by, ...monthsAgo(1) },
    )
    const counts = report.rows.map(({ clicks }) => clicks)
    expect(Math.max(...counts), _by).toBeGreaterThan(Math.min(...counts) * 1.4)
  }
})

it('the demo creates an audience that agrees with the results of its popup', async () => {
  const { access_token: token, user } = await signIn('business@demo.example')
  const [popup] = await server.sql<{ id: string }>('select id from app.popups where user_id = $1', [
    user.id,
  ])
  const results = await call<{ actions: { shown: number; emailed: number } }>(
    token,
    'popup_report',
    { _id: popup?.id, ...monthsAgo(3) },
  )
  const audience = await call<{ leads: number }>(token, 'audience', {})
  expect(audience.leads).toBeGreaterThan(20)
  expect(results.actions.emailed).toBe(audience.leads)
})

it('the demo creates reports for the admin: one open, one upheld, one dismissed', async () => {
  const { access_token: token } = await signIn('admin@demo.example')
  const response = await fetch(`${server.url}/rest/v1/rpc/admin_reports`, {
    method: 'POST',
    headers: {
      apikey: server.anonKey,
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ _state: null }),
  })
  const by = 'admin@demo.example'
  expect(await response.json()).toMatchObject([
    { state: 'open', owner_email: 'business@demo.example', decided_at: null, blocked: null },
    { state: 'upheld', owner_email: 'post@demo.example', decided_by_email: by, blocked: 'link' },
    { state: 'dismissed', owner_email: 'affiliate@demo.example', decided_by_email: by },
  ])
  expect((await visit(server.url, '/parcel-fee')).status).toBe(410)
  expect((await visit(server.url, '/ines-picks')).status).toBe(302)
})

it('the demo creates affiliate earnings of both tiers over months, some paid out', async () => {
  const { access_token: token, user } = await signIn('affiliate@demo.example')
  const lines = await server.sql<{ tier: number; status: string; month: string }>(
    `select tier, status, to_char(created_at, 'YYYY-MM') as month from app.commissions where affiliate_user_id = $1`,
    [user.id],
  )
  expect(new Set(lines.map(({ tier }) => tier))).toEqual(new Set([1, 2]))
  expect(new Set(lines.map(({ status }) => status))).toEqual(new Set(['pending']))
  expect(await server.sql(`select from app.commissions where provider <> 'play_money'`)).toEqual([])
  expect(new Set(lines.map(({ month }) => month)).size).toBeGreaterThan(3)
  const response = await fetch(`${server.url}/rest/v1/affiliate_codes?select=*`, {
    headers: { apikey: server.anonKey, authorization: `Bearer ${token}` },
  })
  expect(await response.json()).toMatchObject([{ code: 'INESHOPS', total_referrals: 4 }])
  expect(
    await server.sql(
      `select 1 from app.commissions join app.billing_invoices using (provider, invoice_id)
        where kind = 'earned' and created_at <> paid_at`,
    ),
  ).toEqual([])
  // The ledger still refuses updates.
  await expect(server.sql('update app.commissions set amount_cents = 0')).rejects.toThrow(
    'append-only',
  )
})

it('the demo is created once, and never in a database with real accounts', async () => {
  const before = await everything()
  expect(await makeDemo(server)).toEqual(demo)
  expect(await everything()).toEqual(before)
  const other = await startTestServer()
  try {
    await makeUser(other)
    expect(await makeDemo(other)).toBeUndefined()
    expect(await other.sql('select count(*)::int as n from auth.users')).toEqual([{ n: 1 }])
  } finally {
    await other.close()
  }
})
