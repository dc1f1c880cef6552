import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { SessionEndedError } from '#server/postgres/begin.ts'
import { type Database, DatabaseUnavailableError, openDatabase } from '#server/postgres/database.ts'
import { queryAs } from '#server/postgres/rows.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase(testDatabase.url, createLog('fatal'), { doors: 1, visits: 1 })
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

const ask = (text: string, role: 'anon' | 'authenticated' = 'anon') =>
  database.transactionAs({ role }, (db) => db.query<{ x: string }>(text, ['a']))

const text = 'select $1::text as x'

/** @param start of the statements to be counted; that of a transaction repeats too */
async function prepared(start = text): Promise<number> {
  const { rows } = await database.transactionAs({ role: 'anon' }, (db) =>
    db.query<{ n: number }>(
      `select count(*)::int as n from pg_prepared_statements where name like 'hoplet\\_%' and starts_with(statement, '${start}')`,
    ),
  )
  return rows[0]?.n ?? 0
}

it.each(['function 16390', 'type 16390'])(
  'a transaction that met the replacement of %s may come again',
  async (what) => {
    const fail = (code: string, message: string) =>
      database.transactionAs({ role: 'hoplet_worker' }, (db) =>
        db.query(
          `do $$ begin raise exception using errcode = '${code}', message = '${message}'; end $$`,
        ),
      )
    const replaced = fail('XX000', `cache lookup failed for ${what}`)
    await expect(replaced).rejects.toThrow(DatabaseUnavailableError)
    // Control: other internal errors are not retried.
    const other = fail('XX000', 'invalid memory alloc request')
    await expect(other).rejects.not.toThrow(DatabaseUnavailableError)
  },
)

it('the pool keeps the plan of a text that repeats, for each role', async () => {
  for (let i = 0; i < 4; i++) await ask(text)
  expect(await prepared()).toBe(0)
  for (let i = 0; i < 4; i++) expect((await ask(text)).rows).toEqual([{ x: 'a' }])
  expect(await prepared()).toBe(1)
  for (let i = 0; i < 6; i++) await ask(text, 'authenticated')
  expect(await prepared()).toBe(2)
})

it('the pool keeps at most 100 plans in a connection, however many texts repeat', async () => {
  for (let n = 0; n < 130; n++) {
    for (let i = 0; i < 5; i++) await ask(`select $1::text as x, ${n}`)
  }
  expect(await prepared('')).toBe(100)
})

it('plans again when a migration changed the columns of a statement', async () => {
  await testDatabase.sql(
    `create table public.changing (x text); grant select on public.changing to anon`,
  )
  const changing = 'select * from public.changing where x <> $1'
  for (let i = 0; i < 6; i++) await ask(changing)
  await testDatabase.sql('alter table public.changing add column y int')
  await expect(ask(changing)).rejects.toThrow(DatabaseUnavailableError)
  expect((await ask(changing)).rows).toEqual([])
})

it('the pool stops preparing when a pooler forgets the names, after one error that a client may retry', async () => {
  for (let i = 0; i < 6; i++) await ask(text)
  await database.transactionAs({ role: 'anon' }, (db) => db.query('deallocate all'))
  await expect(ask(text)).rejects.toThrow(DatabaseUnavailableError)
  for (let i = 0; i < 10; i++) expect((await ask(text)).rows).toEqual([{ x: 'a' }])
  expect(await prepared('')).toBe(0)
})

it('the pool keeps the plan of a message that failed in any of its statements', async () => {
  const claims = { sub: randomUUID(), session_id: randomUUID() }
  const ended = { role: 'authenticated', claims } as const
  const person = { role: 'authenticated' } as const
  const divided = 'select 1 / $1::int as x'
  for (let i = 0; i < 8; i++) {
    await expect(queryAs(database, ended, text, ['a'])).rejects.toThrow(SessionEndedError)
    await expect(queryAs(database, person, divided, [0])).rejects.toThrow('division by zero')
    const symbol = queryAs(database, person, divided, [{ toPostgres: () => Symbol.iterator }])
    await expect(symbol).rejects.toThrow()
  }
  for (let i = 0; i < 3; i++) {
    expect(await queryAs(database, person, text, ['a'])).toEqual([{ x: 'a' }])
    expect(await queryAs(database, person, divided, [1])).toEqual([{ x: 1 }])
  }
  expect([await prepared(), await prepared(divided)]).toEqual([1, 1])
})
