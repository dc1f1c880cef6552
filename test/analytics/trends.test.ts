import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PlantedPopupLink } from '#test/pages/plant.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccount, send } from '#test/tables/accounts.ts'
import { plantPopupLinks } from './popup-links.ts'

let server: TestServer
let owner: Account
let first: PlantedPopupLink
let second: PlantedPopupLink
beforeAll(async () => {
  server = await startTestServer()
  ;({ owner, first, second } = await plantPopupLinks(server))
  // Noon, so that an hour of the day does not move anything to another day.
  const noon = `(app.today() - days)::timestamp at time zone 'UTC' + interval '12 hours'`
  await server.sql(
    `insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
      select ${noon}, 0, s.scope, s.account, 0, 0, 0, verdict::"char", 'l'
      from app.click_scopes_of(array[$1::uuid]) s,
        (values (1, 'c'), (1, 'r'), (1, 'o'), (1, 'b'), (29, 'c'), (30, 'c'), (31, 'c'), (70, 'c')) h (days, verdict)`,
    [first.id],
  )
  await server.sql(
    `insert into app.popup_events (at, visitor, popup, surface, account, action, verdict)
      select ${noon}, 0, s.scope, 1, s.account, action::"char", verdict::"char"
      from app.click_scopes_of(array[$1::uuid]) s,
        (values (2, 'c', 'c'), (2, 'm', 'c'), (2, 's', 'c'), (2, 'c', 'b'), (40, 'm', 'r')) h (days, action, verdict)`,
    [first.popupId],
  )
})
afterAll(() => server.close())

const ask = (who: Account, kind: string, ids: string[]) =>
  send(server, who, 'POST', 'rpc/click_trends', { _kind: kind, _ids: ids })

const daysWith = (counts: Record<number, number>) =>
  Array.from({ length: 30 }, (_, day) => counts[29 - day] ?? 0)

it('the last 30 days of many links come in one answer, with the 30 before; bots do not count', async () => {
  const { status, body } = await ask(owner, 'link', [first.id, second.id, randomUUID()])
  expect({ status, body }).toEqual({
    status: 200,
    body: [{ id: first.id, days: daysWith({ 1: 3, 29: 1 }), before: 2 }],
  })
})

it('those of a popup are its clicks and the email addresses that were given', async () => {
  const { body } = await ask(owner, 'popup', [first.popupId])
  expect(body).toEqual([{ id: first.popupId, days: daysWith({ 2: 2 }), before: 1 }])
})

it('say the same when busy days are in the rollups, also without the events', async () => {
  const noon = `(app.today() - 5)::timestamp at time zone 'UTC' + interval '12 hours'`
  await server.sql(
    `insert into app.click_events (at, visitor, scope, account, origin, place, client, verdict, source)
      select ${noon}, n, s.scope, s.account, 0, 0, 0, case n % 3 when 0 then 'b' else 'c' end::"char", 'l'
      from generate_series(1, 600) n cross join app.click_scopes_of(array[$1::uuid]) s`,
    [second.id],
  )
  await server.sql(
    `insert into app.popup_events (at, visitor, popup, surface, account, action, verdict)
      select ${noon}, n, s.scope, 1, s.account, case n % 3 when 0 then 's' else 'c' end::"char", 'c'
      from generate_series(1, 600) n cross join app.click_scopes_of(array[$1::uuid]) s`,
    [first.popupId],
  )
  await server.sql(
    `insert into app.click_account_days select id, app.today() - 5, 600 from app.click_scopes where kind = 'account'`,
  )
  const both = async () => [
    (await ask(owner, 'link', [first.id, second.id])).body,
    (await ask(owner, 'popup', [first.popupId])).body,
  ]
  const before = await both()
  expect(before).toMatchObject([[{}, {}], [{ days: daysWith({ 2: 2, 5: 400 }) }]])
  await server.context.analytics.rollups.run()
  expect(await both()).toEqual(before)
  for (const events of ['app.click_events', 'app.popup_events'])
    await server.sql(`delete from ${events} where at = ${noon}`)
  expect(await both()).toEqual(before)
})

it('trends are for the owner on a plan that shows clicks, and for 200 rows at a time', async () => {
  const other = await makeAccount(server, { plan: 'pro' })
  expect((await ask(other, 'link', [first.id])).body).toEqual([])
  expect((await ask(other, 'popup', [first.popupId])).body).toEqual([])
  const free = await makeAccount(server, { plan: 'free' })
  expect(await ask(free, 'link', [])).toMatchObject({
    status: 403,
    body: { message: 'Upgrade to view clicks', hint: 'plan' },
  })
  const many = Array.from({ length: 201 }, () => randomUUID())
  expect(await ask(owner, 'link', many)).toMatchObject({ status: 400, body: { code: '22023' } })
})
