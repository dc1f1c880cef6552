/** @module-tag extended */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createTestDatabase } from '#test/database.ts'
import { startBuilt } from '../built.ts'
import { countOf, plantLinks } from '../plant.ts'
import { visit } from '../visit.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

/** Keeps every server from counting clicks. */
async function stopCounting(superuserUrl: string) {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table app.click_events in exclusive mode')
  let isHeld = true
  const release = async () => {
    if (isHeld) await client.end()
    isHeld = false
  }
  cleanups.push(release)
  return release
}

describe('after kill -9', () => {
  it.each([
    ['one process', 1],
    ['two workers', 2],
  ])('a link gives out no more clicks than its maximum: %s', async (_, workers) => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-maximum-'))
    cleanups.push(
      () => database.drop(),
      () => rm(dataDir, { recursive: true, force: true }),
    )
    const { sql } = database
    const [limited, other] = await plantLinks(sql, [
      { code: 'limited', url: 'https://example.com/' },
      { code: 'other', url: 'https://example.com/' },
    ])
    await sql(`update app.shortened_urls set max_clicks = 10 where short_code = 'limited'`)
    const start = () =>
      startBuilt({ DATABASE_URL: database.url, DATA_DIR: dataDir, WORKERS: String(workers) })
    const killed = await start()
    const allowCounting = await stopCounting(database.superuserUrl)
    for (let i = 0; i < 7; i++) expect((await visit(killed.url, '/limited')).status).toBe(302)
    process.kill(killed.process.pid ?? 0, 'SIGKILL')
    await killed.end('SIGKILL')
    expect(await countOf(sql, limited?.id ?? '')).toBe(0)

    const server = await start()
    cleanups.push(() => server.end('SIGTERM'))
    const early = await visit(server.url, '/limited')
    expect([early.status, early.header('retry-after')]).toEqual([503, '2'])
    expect((await visit(server.url, '/other')).status).toBe(302)
    await allowCounting()
    const statuses: number[] = []
    await vi.waitFor(
      async () => {
        const { status } = await visit(server.url, '/limited')
        statuses.push(status)
        expect(status).toBe(410)
      },
      { timeout: 240_000, interval: 20 },
    )
    const given = statuses.filter((status) => status === 302).length
    expect(given).toBeGreaterThanOrEqual(3)
    // Each of two workers may give out the same last clicks (docs/links.md).
    expect(given).toBeLessThanOrEqual(3 * workers)
    await vi.waitFor(async () => expect(await countOf(sql, limited?.id ?? '')).toBe(7 + given), {
      timeout: 240_000,
    })
    expect(await countOf(sql, other?.id ?? '')).toBe(1)
  })
})
