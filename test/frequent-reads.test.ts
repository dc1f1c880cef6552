import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { frequentRead } from '#server/postgres/single-message.ts'
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
const reader = { role: 'hoplet_visits', statementTimeout: 4_000 } as const
const state = frequentRead(
  'state',
  `select current_user::text as role, current_setting('transaction_read_only') as read_only,
    current_setting('statement_timeout') as timeout, v.value from unnest($1::text[]) as v (value)`,
)

it('run as the role, read only, with a time limit, and leave nothing of it', async () => {
  open()
  const read = await database.readOften(reader, state, ['one'])
  expect(read.rows).toEqual([
    { role: 'hoplet_visits', read_only: 'on', timeout: '4s', value: 'one' },
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
  const { rows } = await database.readOften<{ value: string }>(reader, state, values)
  expect(rows.map(({ value }) => value)).toEqual(values)
})

it('cannot write, and an error leaves the connection usable', async () => {
  open()
  const writing = frequentRead(
    'writing',
    `with w as (insert into app.names (name, kind) select n, 'reserved' from unnest($1::text[]) n returning 1)
      select * from w`,
  )
  await expect(database.readOften(reader, writing, ['written'])).rejects.toThrow(
    /read-only|permission denied/,
  )
  const failing = frequentRead('failing', 'select 1 / length(v) from unnest($1::text[]) v')
  await expect(database.readOften(reader, failing, [''])).rejects.toThrow(/division by zero/)
  expect((await database.readOften(reader, failing, ['x'])).rows).toEqual([{ '?column?': 1 }])
  const foreign = frequentRead('foreign', 'select * from auth.users where id::text = any ($1)')
  await expect(database.readOften(reader, foreign, ['x'])).rejects.toThrow(/permission denied/)
})

it('end at their time limit', async () => {
  open()
  const slow = frequentRead('slow', 'select pg_sleep(length(v)) from unnest($1::text[]) v')
  const wait = database.readOften({ ...reader, statementTimeout: 50 }, slow, ['x'.repeat(30)])
  await expect(wait).rejects.toMatchObject({ code: '57014' })
  expect((await database.readOften(reader, state, ['one'])).rows).toHaveLength(1)
})
