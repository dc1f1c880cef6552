/** @module-tag extended */

import { afterEach, describe, expect, it, vi } from 'vitest'
import { createLog } from '#server/log.ts'
import { type Database, openDatabase } from '#server/postgres/database.ts'
import { createTestDatabase } from '#test/database.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { hitsOf } from '#test/visits/hits.ts'
import { countOf, plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { openLive } from './live-client.ts'
import { hoursAgo, reportOf } from './reports.ts'

let server: TestServer
afterEach(async () => {
  vi.restoreAllMocks()
  await server.close()
})

const hourMs = 3_600_000
const incidentsOf = () =>
  server.sql<{ kind: string; seconds: number }>(
    'select kind, seconds from app.click_incidents order by id',
  )

/** Sets the clock of this process, not that of the database. */
function setClock(offsetMs: number) {
  vi.restoreAllMocks()
  const now = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => now() + offsetMs)
}

describe('a clock that is set an hour forward and back', () => {
  it('loses no hit, and is said in the integrity card', async () => {
    server = await startTestServer({ trustedProxies: 1 })
    const owner = await makeAccount(server, { plan: 'pro' })
    const links = [{ code: 'clocked', url: 'https://example.com/' }]
    const [link] = await plantLinks(server.sql, links, owner.id)
    const id = link?.id ?? ''
    const live = await openLive(server, owner)
    const storedHits = async () => (await hitsOf(server.sql, id)).length
    const noticed = async () => (await incidentsOf()).length
    for (const [step, offset] of [0, hourMs, -hourMs, 0].entries()) {
      setClock(offset)
      const addresses = Array.from({ length: 25 }, (_, i) => `198.51.100.${step * 25 + i}`)
      // The last one comes again, by any clock.
      for (const address of [...addresses, addresses.at(-1) ?? '']) {
        const headers = { 'x-forwarded-for': address }
        expect((await visit(server.url, '/clocked', { headers })).status).toBe(302)
      }
      await expect.poll(storedHits).toBe((step + 1) * 26)
      await expect.poll(noticed).toBe(step)
    }
    expect(await countOf(server.sql, id)).toBe(104)
    const kinds = (await incidentsOf()).map(({ kind }) => kind)
    expect(kinds).toEqual(['clock', 'clock', 'clock'])
    const seconds = (await incidentsOf()).map((incident) => Math.round(incident.seconds / 60))
    expect(seconds).toEqual([60, -120, 60])
    await expect.poll(() => live.received()).toEqual({ counted: 100, repeat: 4 })
    live.close()
    vi.restoreAllMocks()
    const report = await reportOf(server, owner, {
      by: 'total',
      from: hoursAgo(3),
      to: hoursAgo(-3),
    })
    expect(report.rows).toEqual([
      { key: 'counted', clicks: 100 },
      { key: 'repeat', clicks: 4 },
    ])
    const hourly = await reportOf(server, owner, {
      by: 'hour',
      from: hoursAgo(3),
      to: hoursAgo(-3),
    })
    expect(hourly.rows.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(104)
    expect(hourly.rows.every(({ clicks, visitors = 0 }) => clicks >= 0 && visitors >= 0)).toBe(true)
  })

  it('loses no hit of a live page during its look for hits', async () => {
    const own = await createTestDatabase()
    const database = openDatabase(own.url, createLog('silent'))
    let held: Promise<void> | undefined
    let looks = 0
    const holding: Database = {
      ...database,
      transactionAs: (caller, work) =>
        database.transactionAs(caller, (db) =>
          work({
            async query(text, values) {
              if (held && text.includes('pg_current_snapshot()')) {
                looks++
                await held
              }
              return db.query(text, values)
            },
          }),
        ),
    }
    server = await startTestServer({ databaseUrl: own.url }, { database: holding })
    const close = server.close
    server.close = () => close().then(own.drop)
    const owner = await makeAccount({ ...server, sql: own.sql }, { plan: 'pro' })
    const links = [{ code: 'turned', url: 'https://example.com/' }]
    const [link] = await plantLinks(own.sql, links, owner.id)
    const live = await openLive(server, owner)
    let release = () => {}
    held = new Promise<void>((resolve) => (release = resolve))
    await expect.poll(() => looks).toBe(1)
    setClock(-hourMs)
    expect((await visit(server.url, '/turned')).status).toBe(302)
    await expect.poll(() => countOf(own.sql, link?.id ?? '')).toBe(1)
    held = undefined
    release()
    await expect.poll(() => live.received()).toEqual({ counted: 1 })
    live.close()
  })

  it('is noticed once, later if the database is away; small steps are not', async () => {
    server = await startTestServer()
    setClock(-59_000)
    await new Promise((resolve) => setTimeout(resolve, 2_200))
    expect(await incidentsOf()).toEqual([])
    setClock(3 * hourMs)
    await expect.poll(incidentsOf).toMatchObject([{ kind: 'clock' }])
    await new Promise((resolve) => setTimeout(resolve, 2_200))
    expect(await incidentsOf()).toHaveLength(1)
  })
})

describe('a part of the journal that was applied before', () => {
  it('is not counted again, and noted once a minute', async () => {
    server = await startTestServer()
    const links = [{ code: 'replayed', url: 'https://example.com/' }]
    const [link] = await plantLinks(server.sql, links)
    const id = link?.id ?? ''
    await visit(server.url, '/replayed')
    await expect.poll(() => countOf(server.sql, id)).toBe(1)
    expect(await incidentsOf()).toEqual([])
    for (let i = 0; i < 3; i++) {
      // As if another had applied the next record: the mark is where this process does not expect it.
      await server.sql('update app.click_segments set applied_bytes = applied_bytes + 100000')
      await visit(server.url, '/replayed')
      await expect.poll(incidentsOf).toEqual([{ kind: 'replay', seconds: 0 }])
      await server.sql('update app.click_segments set applied_bytes = applied_bytes - 100000')
    }
    expect(await incidentsOf()).toHaveLength(1)
  })
})
