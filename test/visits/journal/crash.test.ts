/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '#server/log.ts'
import { startEmbeddedPostgres } from '#server/postgres/embedded.ts'
import { createTestDatabase } from '#test/database.ts'
import { startBuilt } from '../built.ts'
import { broken, drive, historyOf, killRounds, noCounts } from '../history.ts'
import { plantLinks } from '../plant.ts'
import { visit } from '../visit.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

const codes = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ code: `crash-${i}`, url: `https://example.com/${i}` }))

async function setUp(links: number) {
  const database = await createTestDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-crash-'))
  cleanups.push(
    () => database.drop(),
    () => rm(dataDir, { recursive: true, force: true }),
  )
  return { ...database, dataDir, links: await plantLinks(database.sql, codes(links)) }
}

describe('kill -9 under 300 visits a second', () => {
  it('loses no visit that got its response and counts none twice, five times', async () => {
    const { url, sql, dataDir, links } = await setUp(50)
    const history = await killRounds({
      databaseUrl: url,
      dataDir,
      sql,
      links,
      rounds: 5,
      killAfterMs: [500, 2_000],
    })
    expect(broken(history)).toEqual([])
    expect(history.reduce((sum, { received }) => sum + received, 0)).toBeGreaterThan(500)
  })

  it('fails the same check when clicks are kept in memory only (control)', async () => {
    const { url, sql, dataDir, links } = await setUp(50)
    const history = await killRounds({
      databaseUrl: url,
      dataDir,
      sql,
      links,
      rounds: 2,
      isForgetful: true,
      killAfterMs: [500, 2_000],
    })
    expect(broken(history).length).toBeGreaterThan(0)
  })
})

describe('SIGTERM', () => {
  it('exits with code 0 and with every visit that got its response in the database', async () => {
    const { url, sql, dataDir, links } = await setUp(20)
    const server = await startBuilt({ DATABASE_URL: url, DATA_DIR: dataDir })
    const counts = noCounts(links)
    const driver = drive(server.url, links, 300, counts)
    await sleep(1_500)
    await driver.answered(201)
    const code = await server.end('SIGTERM')
    await driver.stop()
    expect(code).toBe(0)
    const history = await historyOf(sql, links, counts)
    expect(broken(history)).toEqual([])
    expect(history.reduce((sum, { received }) => sum + received, 0)).toBeGreaterThan(200)
  })
})

describe('PostgreSQL stopped for ten seconds under visits', () => {
  it('redirects known codes, answers 503 and never 404 for unknown ones, and counts every click afterwards', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hoplet-outage-'))
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-outage-data-'))
    const log = createLog('silent')
    let postgres = await startEmbeddedPostgres({ dataDir: folder, log })
    const { url } = postgres
    cleanups.push(
      () => rm(folder, { recursive: true, force: true }),
      () => rm(dataDir, { recursive: true, force: true }),
      () => postgres.stop(),
    )
    const server = await startBuilt({ DATABASE_URL: postgres.url, DATA_DIR: dataDir })
    cleanups.push(() => server.end('SIGTERM'))
    const superuser = new URL(postgres.superuserUrl)
    superuser.pathname = new URL(postgres.url).pathname
    const sql = async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => {
      const client = new pg.Client({ connectionString: superuser.href })
      await client.connect()
      try {
        return (await client.query<Row>(text, values)).rows
      } finally {
        await client.end()
      }
    }
    const links = await plantLinks(sql, codes(10))
    const unknown = await plantLinks(
      sql,
      Array.from({ length: 200 }, (_, i) => ({ code: `cold-${i}`, url: 'https://example.com/' })),
    )
    for (const { code } of links) await visit(server.url, `/${code}`, { method: 'HEAD' })

    const counts = noCounts(links)
    const driver = drive(server.url, links, 200, counts)
    await sleep(500)
    await postgres.stop()
    const outage = Date.now()
    const cold = new Map<number, number>()
    for (const { code } of unknown) {
      if (Date.now() - outage > 10_000) break
      const answer = await visit(server.url, `/${code}`)
      cold.set(answer.status, (cold.get(answer.status) ?? 0) + 1)
      if (answer.status === 503) expect(answer.header('retry-after')).toBe('2')
      await sleep(50)
    }
    postgres = await startEmbeddedPostgres({ dataDir: folder, log })
    expect(postgres.url).toBe(url)
    await sleep(1_000)
    await driver.stop()

    expect([...cold.keys()]).toEqual([503])
    expect([...driver.statuses.keys()]).toEqual(['302'])
    expect(server.process.exitCode).toBeNull()
    let history = await historyOf(sql, links, counts)
    for (let i = 0; i < 100 && broken(history).length > 0; i++) {
      await sleep(100)
      history = await historyOf(sql, links, counts)
    }
    expect(broken(history)).toEqual([])
    expect((await visit(server.url, `/${unknown[0]?.code}`)).status).toBe(302)
  })
})
