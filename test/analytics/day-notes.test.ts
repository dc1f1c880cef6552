import { beforeAll, expect, it } from 'vitest'
import { sharedServer, type TestServer } from '#test/server.ts'
import { type Account, makeAccounts, send } from '#test/tables/accounts.ts'

// Notes on days in the reports of an account.

let server: TestServer
let ann: Account
let bob: Account
beforeAll(async () => {
  server = await sharedServer()
  const accounts = await makeAccounts(server, 2, { plan: 'pro' })
  ;[ann, bob] = accounts as [Account, Account]
})

const insert = (who: Account, day: string, text: string) =>
  send(server, who, 'POST', 'day_notes', { day, text })

const notesOf = async (who: Account) =>
  (await send(server, who, 'GET', 'day_notes?select=day,text&order=day')).body

it('a note belongs to a day and an account', async () => {
  expect((await insert(ann, '2026-11-24', 'Newsletter went out')).status).toBe(201)
  expect(await insert(ann, '2026-11-24', 'Again')).toMatchObject({
    status: 409,
    body: { code: '23505' },
  })
  expect((await insert(bob, '2026-11-24', 'Fair')).status).toBe(201)
  for (const text of ['', ' ', 'x'.repeat(201)])
    expect(await insert(ann, '2026-11-23', text), text).toMatchObject({
      status: 400,
      body: { code: '23514' },
    })
  const change = { text: 'Fair, second day' }
  await send(server, ann, 'PATCH', 'day_notes?day=eq.2026-11-24', change)
  expect(await notesOf(ann)).toEqual([{ day: '2026-11-24', ...change }])
  expect(await notesOf(bob)).toEqual([{ day: '2026-11-24', text: 'Fair' }])
  expect((await send(server, undefined, 'GET', 'day_notes')).status).toBe(401)
})

it('an account has at most 500 notes', async () => {
  await server.sql(
    `insert into app.day_notes (user_id, day, text) select $1, date '2020-01-01' + n, 'x' from generate_series(1, 499) n`,
    [bob.id],
  )
  expect(await insert(bob, '2026-11-25', 'One more')).toMatchObject({
    body: { hint: 'too_many_rows' },
  })
})
