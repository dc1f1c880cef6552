import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'

// Reads in one message: as safe as a separate transaction.

let store: TestDatabase
let database: Database
beforeAll(async () => {
  store = await createTestDatabase()
})
afterAll(() => store.drop())
afterEach(() => database.close())

/** One connection, so that a read sees the state after the one before it. */
function open() {
  database = openDatabase(store.url, createLog('silent'), { doors: 1, visits: 1 })
  return database
}
const read = <Row extends pg.QueryResultRow>(text: string, values: string[], timeout = 4_000) =>
  database.transactionAs(
    {
      role: 'hoplet_visits',
      statementTimeout: timeout,
      readOnly: true,
      isOneQuery: true,
      hasGenericPlan: true,
    },
    (db) => db.query<Row>(text, [values]),
  )
const state = `select current_user::text as role, current_setting('transaction_read_only') as read_only,
    current_setting('statement_timeout') as timeout,
    current_setting('plan_cache_mode') as plans, v.value from unnest($1::text[]) as v (value)`

it('run as the role, read only, with a time limit, and leave nothing of it', async () => {
  open()
  const found = await read(state, ['one'])
  expect(found.rows).toEqual([
    {
      role: 'hoplet_visits',
      read_only: 'on',
      timeout: '4s',
      plans: 'force_generic_plan',
      value: 'one',
    },
  ])
  const after = await database.transactionAs({ role: 'hoplet_visits' }, (db) =>
    db.query(`select current_setting('transaction_read_only') as read_only,
      current_setting('statement_timeout') as timeout, current_setting('plan_cache_mode') as plans`),
  )
  expect(after.rows).toEqual([{ read_only: 'off', timeout: '5s', plans: 'auto' }])
})

it('take any text as it is', async () => {
  open()
  const values = [`'`, `''; drop table app.names; --`, '"', '\\', '{a,b}', 'null', '', '$1', '漢字']
  const { rows } = await read<{ value: string }>(state, values)
  expect(rows.map(({ value }) => value)).toEqual(values)
})

it('a frequent read cannot write, and an error leaves the connection usable', async () => {
  open()
  const writing = `with w as (insert into app.names (name, kind) select n, 'reserved' from unnest($1::text[]) n returning 1)
      select * from w`
  await expect(read(writing, ['written'])).rejects.toThrow(/read-only|permission denied/)
  const failing = 'select 1 / length(v) from unnest($1::text[]) v'
  await expect(read(failing, [''])).rejects.toThrow(/division by zero/)
  expect((await read(failing, ['x'])).rows).toEqual([{ '?column?': 1 }])
  const foreign = 'select * from auth.users where id::text = any ($1)'
  await expect(read(foreign, ['x'])).rejects.toThrow(/permission denied/)
})

it('end at their time limit', async () => {
  open()
  const slow = 'select pg_sleep(length(v)) from unnest($1::text[]) v'
  const wait = read(slow, ['x'.repeat(30)], 50)
  await expect(wait).rejects.toMatchObject({ code: '57014' })
  expect((await read(state, ['one'])).rows).toHaveLength(1)
})
