import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'

let server: TestServer
let eager: Account
let quiet: Account
beforeAll(async () => {
  server = await startTestServer()
  eager = await makeAccount(server, { plan: 'pro' })
  quiet = await makeAccount(server, { plan: 'pro' })
  for (const [n, { id }] of [eager, quiet].entries())
    await plantLinks(server.sql, [{ code: `mailed-${n}`, url: 'https://example.com/' }], id)
})
afterAll(() => server.close())

const set = (account: Account, milestones: boolean, weekly: boolean) =>
  send(server, account, 'POST', 'rpc/set_click_mails', {
    _milestones: milestones,
    _weekly: weekly,
  })

const queued = () =>
  server.sql<{ template: string; recipient: string }>(
    'select template, recipient from app.mail_outbox order by created_at, key',
  )

async function applied(hits: number) {
  await vi.waitFor(
    async () =>
      expect(await server.sql('select count(*)::int as n from app.click_events')).toEqual([
        { n: hits },
      ]),
    { timeout: 240_000, interval: 100 },
  )
}

it('are off until someone asks for them', async () => {
  const { body } = await send(server, quiet, 'POST', 'rpc/click_mails', {})
  expect(body).toEqual({ milestones: false, weekly: false })
  expect((await set(eager, true, true)).status).toBe(204)
  expect((await send(server, eager, 'POST', 'rpc/click_mails', {})).body).toEqual({
    milestones: true,
    weekly: true,
  })
})

it('a milestone is mailed once, to those who asked', async () => {
  for (let n = 0; n < 3; n++) {
    await visit(server.url, '/mailed-0')
    await visit(server.url, '/mailed-1')
  }
  await applied(6)
  await server.context.analytics.mails.run()
  await server.context.analytics.mails.run()
  const mails = await queued()
  expect(mails.map(({ template }) => template)).toEqual(['click-milestone'])
  expect(mails[0]?.recipient).toBe(`${eager.id}@example.com`)

  await server.sql(`update app.shortened_urls set click_count = 98 where short_code = 'mailed-0'`)
  for (let n = 0; n < 4; n++) await visit(server.url, '/mailed-0')
  await applied(10)
  await server.context.analytics.mails.run()
  expect(await queued()).toHaveLength(2)
  await vi.waitFor(
    () => {
      const text = emails()
      expect(text).toContain('/mailed-0 has its first click')
      expect(text).toContain('/mailed-0 has 100 clicks')
      expect(text).toContain('/links/mailed-0')
    },
    { timeout: 60_000, interval: 200 },
  )
})

it('a link that jumped over a milestone gets no email about it later', async () => {
  await set(quiet, true, false)
  for (let n = 0; n < 97; n++) await visit(server.url, '/mailed-1')
  await applied(107)
  await server.context.analytics.mails.run()
  await server.context.analytics.mails.run()
  const keys = await server.sql(
    `select key from app.mail_outbox where recipient = $1 and template = 'click-milestone'`,
    [`${quiet.id}@example.com`],
  )
  expect(keys).toEqual([{ key: expect.stringMatching(/^milestone:.*:100$/) }])
})

it('the week is summed up once it is over, and not for the free plan', async () => {
  await server.sql(`select app.make_click_months(app.today() - 20, app.today())`)
  await server.sql(
    `update app.click_events set at = date_trunc('week', now() at time zone 'Pacific/Kiritimati') at time zone 'Pacific/Kiritimati' - interval '3 days'`,
  )
  await server.sql(
    `update app.click_account_days set day = (select min((at at time zone 'UTC')::date) from app.click_events)`,
  )
  await server.sql(`update app.profiles set time_zone = 'Pacific/Kiritimati' where id = $1`, [
    eager.id,
  ])
  // On a Monday before eight o'clock there is nothing to tell yet.
  const [clock] = await server.sql<{ is_due: boolean }>(
    `select now() at time zone 'Pacific/Kiritimati' >= date_trunc('week', now() at time zone 'Pacific/Kiritimati') + interval '8 hours' as is_due`,
  )
  await set(quiet, false, true)
  await server.sql(`update app.user_plans set plan_type = 'free' where user_id = $1`, [quiet.id])
  await server.context.analytics.mails.run()
  await server.context.analytics.mails.run()
  const summaries = (await queued()).filter(({ template }) => template === 'weekly-summary')
  expect(summaries).toHaveLength(clock?.is_due ? 1 : 0)
  if (!clock?.is_due) return
  await vi.waitFor(() => expect(emails()).toContain('7 clicks last week'), {
    timeout: 60_000,
    interval: 200,
  })
  expect(emails()).toContain('/mailed-0')
})

/** The texts of the emails that became files. */
function emails(): string {
  const folder = join(server.context.config.dataDir, 'outbox')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', ''))
    .join('\n')
}
