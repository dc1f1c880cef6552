/** @module-tag extended */
import pg from 'pg'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createLog } from '#server/log.ts'
import { startHoplet } from '#server/start.ts'
import { makeLink, makeUser, type TestLink, type TestUser } from '#test/factories.ts'
import { newPicture, upload } from '#test/media/uploads.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf } from '#test/visits/plant.ts'
import { backUpAndRestore, everyRowOf, schemaOf } from './backed-up.ts'
import { browser } from '#test/visits/visit.ts'

const wait = { timeout: Number(process.env.WAIT ?? 5_000) }
const clean: (() => Promise<unknown>)[] = []
let server: TestServer
let ann: TestUser
let link: TestLink
beforeEach(async () => {
  server = await startTestServer()
  clean.push(() => server.close())
  ann = await makeUser(server, { plan: 'business' })
  link = await makeLink(server, ann)
})
afterEach(async () => {
  for (const step of clean.splice(0).toReversed()) await step()
})

async function visit(times: number): Promise<number> {
  for (let i = 0; i < times; i++) {
    const response = await fetch(`${server.url}/${link.short_code}`, {
      redirect: 'manual',
      headers: { 'user-agent': browser },
    })
    expect(response.status).toBe(302)
  }
  return times
}

const applied = (times: number) =>
  vi.waitFor(async () => expect(await countOf(server.sql, link.id)).toBe(times), wait)

/** Keeps clicks in the journal: until it is called, none reaches the database. */
async function holdClicks(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: server.superuserUrl })
  holder.on('error', () => {})
  await holder.connect()
  await holder.query('begin; lock table app.click_segments in exclusive mode')
  return () => holder.end()
}

it('a backup restores every row, rule and sequence, images and keys', async () => {
  await makeUser(server, { plan: 'business', role: 'admin', data: { name: 'a\tb\\n\u{1f407}' } })
  for (let i = 0; i < 20; i++) await makeLink(server, ann)
  const { body } = await upload(server, ann, await newPicture())
  await applied(await visit(5))
  // Months ago, so that it has a partition that a migration of today does not make, and that is kept for long.
  await server.sql(`select app.make_click_months(app.today() - 150, app.today() - 150)`)
  await server.sql(
    `insert into app.click_events select (jsonb_populate_record(e, jsonb_build_object('at', now() - interval '150 days'))).* from app.click_events e limit 1`,
  )
  const before = await everyRowOf(server)

  const { database, images, restored, dataDir } = await backUpAndRestore(server, clean)
  const after = await everyRowOf(database)
  // The server's constant work is not held still: a heartbeat of its own would differ.
  expect([...after.keys()]).toEqual([...before.keys()])
  for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows)
  expect(before.get('app.click_events')?.length).toBeGreaterThan(5)
  expect(await schemaOf(database)).toEqual(await schemaOf(server))
  expect([...images.keys()]).toEqual([body.imageUrl?.slice(7, 71)])
  expect(restored.migrated).toEqual([])

  // The keys came along: a token of the old server opens the new one.
  const defaults = createConfig(
    parseVariables({ PORT: '0', RATE_LIMITS: 'off', DATA_DIR: dataDir }),
  )
  // The address of the server is a part of its tokens.
  const { publicUrl } = server.context.config
  const config = { ...defaults, databaseUrl: database.url, publicUrl }
  const second = await startHoplet(config, createLog('fatal'))
  clean.push(() => second.stop())
  const response = await fetch(`${second.url}/rest/v1/shortened_urls?select=id`, {
    headers: ann.headers,
  })
  expect(response.status).toBe(200)
  expect(await response.json()).toHaveLength(21)
})

it('a backup has each answered visit once: in the rows, or in the journal beyond them', async () => {
  await applied(await visit(7))
  const release = await holdClicks()
  await visit(5)
  const { database, dataDir, report } = await backUpAndRestore(server, clean)
  expect(report.contents.journal?.bytes).toBeGreaterThan(0)
  expect(await countOf(database.sql, link.id)).toBe(7)
  await release()
  const defaults = createConfig(parseVariables({ PORT: '0', DATA_DIR: dataDir }))
  const second = await startHoplet({ ...defaults, databaseUrl: database.url }, createLog('fatal'))
  clean.push(() => second.stop())
  await vi.waitFor(async () => expect(await countOf(database.sql, link.id)).toBe(12), wait)
  await second.stop()
  expect(await countOf(database.sql, link.id)).toBe(12)
  expect(second.context.visits.status().clicks).toMatchObject({ applied: 5, corrupt: 0 })
})

it('a backup is the moment of its snapshot while people write and visit', async () => {
  for (let i = 0; i < 100; i++) await makeLink(server, ann)
  let isDone = false
  let answered = await visit(10)
  let written = 0
  const load = async () => {
    while (!isDone) {
      answered += await visit(1)
      await makeLink(server, ann)
      written++
    }
  }
  const loads = [load(), load()]
  await vi.waitFor(() => expect(written).toBeGreaterThan(5), wait)
  const [answeredBefore, writtenBefore] = [answered, written]
  // Restoring compares each table with its snapshot.
  const { report, database, dataDir } = await backUpAndRestore(server, clean, async () => {
    await vi.waitFor(() => expect(written).toBeGreaterThan(writtenBefore + 3), wait)
  })
  isDone = true
  await Promise.all(loads)
  const links = report.contents.tables.find(({ name }) => name === 'app.shortened_urls')?.rows ?? 0
  expect(links).toBeGreaterThanOrEqual(101 + writtenBefore)
  expect(links).toBeLessThanOrEqual(101 + written)
  const defaults = createConfig(parseVariables({ PORT: '0', DATA_DIR: dataDir }))
  const second = await startHoplet({ ...defaults, databaseUrl: database.url }, createLog('fatal'))
  await second.stop()
  const counted = await countOf(database.sql, link.id)
  expect(counted).toBeGreaterThanOrEqual(answeredBefore)
  expect(counted).toBeLessThanOrEqual(answered)
})
