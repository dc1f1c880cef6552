import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { plantOwner } from '#test/visits/plant.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Queues hits of a new account with a webhook for clicks, one row for each of many links. */
async function plantHits(rows: number, queuedAt: string): Promise<string> {
  const owner = await plantOwner(database.sql)
  await database.sql(
    `insert into app.webhooks (user_id, url, events, secret, clicks_queued_at)
      values ($1, 'https://example.com/', '{clicks.recorded}', 'x', $2)`,
    [owner, queuedAt],
  )
  await database.sql(`update app.user_plans set plan_type = 'pro' where user_id = $1`, [owner])
  await database.sql(
    `with account as (
        insert into app.click_scopes (kind, ref, user_id) values ('account', $1, $1) returning id),
      links as (
        insert into app.click_scopes (kind, ref, user_id)
          select 'link', gen_random_uuid(), $1 from generate_series(1, $2) returning id)
      insert into app.webhook_clicks (account, scope, counted, repeats, own, bots, first_at, last_at)
        select a.id, l.id, 1, 0, 0, 0, now(), now() from account a, links l`,
    [owner, rows],
  )
  return owner
}

const waitingOf = async (owner: string) =>
  (
    await database.sql(
      'select from app.webhook_clicks c join app.click_scopes s on s.id = c.account where s.ref = $1',
      [owner],
    )
  ).length

it('events of clicks take a bounded part of the hits of one account at a time, and others get their turn', async () => {
  const heavy = await plantHits(25_000, '2020-01-01')
  const other = await plantHits(1, '2020-01-02')
  await database.sql('select app.queue_webhook_clicks(10)')
  expect(await waitingOf(heavy)).toBe(15_000)
  expect(await waitingOf(other)).toBe(0)
  const told = await database.sql<{ hits: number }>(
    `select sum((t ->> 'counted')::integer)::int as hits from app.webhook_events e,
      lateral jsonb_array_elements(e.body::jsonb -> 'data' -> 'targets') t`,
  )
  expect(told).toEqual([{ hits: 10_001 }])
})
