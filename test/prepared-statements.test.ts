import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, DatabaseUnavailableError, openDatabase } from '#server/postgres/database.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'

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

async function prepared(): Promise<number> {
  const { rows } = await database.transactionAs({ role: 'anon' }, (db) =>
    db.query<{ n: number }>(
      `select count(*)::int as n from pg_prepared_statements where name like 'hoplet\\_%'`,
    ),
  )
  return rows[0]?.n ?? 0
}

const text = 'select $1::text as x'

it('keeps the plan of a text that repeats, for each role', async () => {
  for (let i = 0; i < 4; i++) await ask(text)
  expect(await prepared()).toBe(0)
  for (let i = 0; i < 4; i++) expect((await ask(text)).rows).toEqual([{ x: 'a' }])
  expect(await prepared()).toBe(1)
  for (let i = 0; i < 6; i++) await ask(text, 'authenticated')
  expect(await prepared()).toBe(2)
})

it('keeps at most 100 plans in a connection, however many texts repeat', async () => {
  for (let n = 0; n < 130; n++) {
    for (let i = 0; i < 5; i++) await ask(`select $1::text as x, ${n}`)
  }
  expect(await prepared()).toBe(100)
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

it('stops preparing when a pooler forgets the names, after one error that a client may retry', async () => {
  for (let i = 0; i < 6; i++) await ask(text)
  await database.transactionAs({ role: 'anon' }, (db) => db.query('deallocate all'))
  await expect(ask(text)).rejects.toThrow(DatabaseUnavailableError)
  for (let i = 0; i < 10; i++) expect((await ask(text)).rows).toEqual([{ x: 'a' }])
  expect(await prepared()).toBe(0)
})
