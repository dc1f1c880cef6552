/** @module-tag extended */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { DatabaseUnavailableError, openDatabase } from '#server/postgres/database.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { clicksOn, prepare } from '../hits.ts'
import { browser } from '../visit.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

async function makeLink(owner: string, code: string): Promise<string> {
  const [row] = await server.sql<{ id: string }>(
    'insert into app.shortened_urls (user_id, short_code, original_url) values ($1, $2, $3) returning id',
    [owner, code, 'https://example.com/'],
  )
  return row?.id ?? ''
}

async function countsOf(codes: string[]): Promise<number[]> {
  const rows = await server.sql<{ n: number }>(
    'select click_count::int as n from app.shortened_urls where short_code = any ($1) order by short_code',
    [codes],
  )
  return rows.map(({ n }) => n)
}

async function visit(code: string): Promise<void> {
  const { status } = await fetch(`${server.url}/${code}`, {
    redirect: 'manual',
    headers: { 'user-agent': browser },
  })
  expect(status).toBe(302)
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

async function until(isDone: () => Promise<boolean>, timeoutMs: number): Promise<number> {
  const start = Date.now()
  while (!(await isDone())) {
    if (Date.now() - start > timeoutMs) throw new Error('the condition was not met in time')
    await sleep(50)
  }
  return Date.now() - start
}

it('a server that freezes while it counts blocks only its own targets, and only until the database ends its transaction', async () => {
  const { id: owner } = await makeAccount(server)
  const frozenTarget = await makeLink(owner, 'frozen-a')
  await makeLink(owner, 'frozen-b')
  const other = openDatabase(server.databaseUrl, createLog('fatal'))
  const frozen = deferred()
  const holds = deferred()
  const clicks = clicksOn([frozenTarget])
  const prepared = await prepare(other, clicks)
  const lost = other
    .transactionAs({ role: 'hoplet_visits' }, async (db) => {
      await prepared.apply(db)
      holds.resolve()
      await frozen.promise
    })
    .catch((error: unknown) => error)
  await holds.promise

  await visit('frozen-b')
  await until(async () => (await countsOf(['frozen-b']))[0] === 1, 60_000)
  await visit('frozen-a')
  // It waits for the frozen transaction, which the database ends after 10 s.
  await until(async () => (await countsOf(['frozen-a']))[0] === 1, 60_000)
  frozen.resolve()
  expect(await lost).toBeInstanceOf(DatabaseUnavailableError)
  await other.close()
  await sleep(1_000)
  expect(await countsOf(['frozen-a', 'frozen-b'])).toEqual([1, 1])
  expect(await server.sql('select count(*)::int as n from app.click_events')).toEqual([{ n: 2 }])
})
