import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { makeAdmin, rpc } from './calls.ts'

let server: TestServer
let admin: Account

beforeAll(async () => {
  server = await startTestServer()
  admin = await makeAdmin(server)
})
afterAll(() => server.close())

interface Day {
  day: string
  sign_ups: number
  links: number
  clicks: number
}
const activity = async () => (await rpc(server, admin, 'admin_activity')).body as Day[]

async function makeLink(owner: Account, code: string): Promise<void> {
  const row = { user_id: owner.id, short_code: code, original_url: 'https://example.com/' }
  expect((await send(server, owner, 'POST', 'shortened_urls', row)).status).toBe(201)
}

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' }
async function visit(code: string, headers: Record<string, string> = browser): Promise<void> {
  expect((await fetch(`${server.url}/${code}`, { redirect: 'manual', headers })).status).toBe(302)
}

it('the activity of the server counts sign-ups, links and clicks of 30 days, today last', async () => {
  const owner = await makeAccount(server, { plan: 'business' })
  const before = await activity()
  expect(before).toHaveLength(30)
  expect(before.map(({ day }) => day)).toEqual(before.map(({ day }) => day).toSorted())
  expect(before.at(-1)?.day).toBe(new Date().toISOString().slice(0, 10))
  await makeLink(owner, 'counted-days')
  await makeLink(owner, 'older-days')
  await server.sql(
    `update app.shortened_urls set created_at = now() - interval '29 days' where short_code = 'older-days'`,
  )
  await server.sql(
    `update app.profiles set created_at = now() - interval '31 days' where id = $1`,
    [owner.id],
  )
  for (let n = 0; n < 3; n++) await visit('counted-days')
  // A program is redirected, and not counted.
  await visit('counted-days', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
  const sums = (days: readonly Day[]) => ({
    sign_ups: days.reduce((sum, day) => sum + day.sign_ups, 0),
    links: days.reduce((sum, day) => sum + day.links, 0),
    clicks: days.reduce((sum, day) => sum + day.clicks, 0),
  })
  const was = sums(before)
  await expect
    .poll(async () => sums(await activity()), { timeout: 60_000 })
    .toEqual({ sign_ups: was.sign_ups - 1, links: was.links + 2, clicks: was.clicks + 3 })
  const after = await activity()
  expect(after[0]?.links).toBe((before[0]?.links ?? 0) + 1)
  expect(after.at(-1)?.clicks).toBe((before.at(-1)?.clicks ?? 0) + 3)
})

it('the activity of the server names the newest links and those clicked most, without deleted ones', async () => {
  const owner = await makeAccount(server, { plan: 'business' })
  for (const code of ['busy-one', 'busy-two', 'busy-gone', 'never-busy'])
    await makeLink(owner, code)
  for (const [code, visits] of [
    ['busy-one', 6],
    ['busy-two', 5],
    ['busy-gone', 7],
  ] as const)
    for (let n = 0; n < visits; n++) await visit(code)
  await expect
    .poll(
      async () =>
        (
          await server.sql<{ n: number }>(
            `select sum(click_count)::int as n from app.shortened_urls where short_code like 'busy-%'`,
          )
        )[0]?.n,
      { timeout: 60_000 },
    )
    .toBe(18)
  await send(server, owner, 'DELETE', 'shortened_urls?short_code=eq.busy-gone')
  const { body } = await rpc(server, admin, 'admin_latest_links')
  const { newest, busiest } = body as Record<'newest' | 'busiest', Record<string, unknown>[]>
  expect(newest.slice(0, 3).map((link) => link['short_code'])).toEqual([
    'never-busy',
    'busy-two',
    'busy-one',
  ])
  expect(newest[0]).toMatchObject({ email: `${owner.id}@example.com`, recent_clicks: null })
  expect(busiest.slice(0, 2)).toMatchObject([
    { short_code: 'busy-one', recent_clicks: 6, click_count: 6, blocked: null },
    { short_code: 'busy-two', recent_clicks: 5 },
  ])
})
