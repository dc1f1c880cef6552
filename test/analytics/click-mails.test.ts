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

it('click mails are off until someone asks for them', async () => {
  const { body } = await send(server, quiet, 'POST', 'rpc/click_mails', {})
  expect(body).toEqual({ milestones: false, weekly: false, health: null })
  expect((await set(eager, true, true)).status).toBe(204)
  expect((await send(server, eager, 'POST', 'rpc/click_mails', {})).body).toEqual({
    milestones: true,
    weekly: true,
    health: null,
  })
})

it('a setting that is left out stays', async () => {
  const mails = async (account: Account) =>
    (await send(server, account, 'POST', 'rpc/click_mails', {})).body
  const weekly = { _weekly: true }
  expect((await send(server, quiet, 'POST', 'rpc/set_click_mails', weekly)).status).toBe(204)
  expect(await mails(quiet)).toEqual({ milestones: false, weekly: true, health: null })
  const milestones = { _milestones: true }
  expect((await send(server, quiet, 'POST', 'rpc/set_click_mails', milestones)).status).toBe(204)
  expect(await mails(quiet)).toEqual({ milestones: true, weekly: true, health: null })
  expect((await set(quiet, false, false)).status).toBe(204)
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

it('a summary that fails keeps none from the accounts after it', async () => {
  const accounts = [
    await makeAccount(server, { plan: 'pro' }),
    await makeAccount(server, { plan: 'pro' }),
  ]
  const [first = '', second = ''] = accounts.map(({ id }) => id).sort()
  // One of the two is past Monday, eight o'clock.
  const [{ zone } = { zone: '' }] = await server.sql<{ zone: string }>(
    `select zone from unnest('{Pacific/Kiritimati,Etc/GMT+12}'::text[]) zone
      where now() at time zone zone >= date_trunc('week', now() at time zone zone) + interval '8 hours' limit 1`,
  )
  for (const [n, account] of accounts.entries()) {
    const links = [{ code: `summed-${n}`, url: 'https://example.com/' }]
    const [link] = await plantLinks(server.sql, links, account.id)
    await set(account, false, true)
    await server.sql('update app.profiles set time_zone = $2 where id = $1', [account.id, zone])
    await server.sql(
      `select app.store_hits(array[
          (extract(epoch from date_trunc('week', now() at time zone $2) at time zone $2 - interval '3 days') * 1000)::bigint::text,
          '1', s.scope::text, s.account::text, '0', '0', '0', 'c', 'l'])
        from app.click_scopes_of(array[$1::uuid]) s`,
      [link?.id, zone],
    )
  }
  const summed = async () => {
    await server.context.analytics.mails.run()
    const rows = await server.sql<{ id: string }>(
      `select split_part(key, ':', 2) as id from app.mail_outbox
        where key like 'weekly:%' and split_part(key, ':', 2) = any ($1) order by 1`,
      [[first, second]],
    )
    return rows.map(({ id }) => id)
  }
  await server.sql(`
    create function app.fail() returns trigger language plpgsql as $$ begin raise 'failed'; end $$;
    create trigger fail before insert on app.mail_outbox for each row
      when (new.key like 'weekly:${first}:%') execute function app.fail()`)
  expect(await summed()).toEqual([second])
  await server.sql('drop trigger fail on app.mail_outbox')
  expect(await summed()).toEqual([first, second])
})

/** The texts of the emails that became files. */
function emails(): string {
  const folder = join(server.context.config.dataDir, 'outbox')
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('=\r\n', ''))
    .join('\n')
}
