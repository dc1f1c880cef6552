/** @module-tag extended */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { plantPopupLinks } from '#test/analytics/popup-links.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { hitsInClickHouse, hitsInPostgres, received, soon, visitAtRandom } from './clicks.ts'
import { plantHistory } from './history.ts'
import { startClickHouse } from './stand-in.ts'
import { hasChdb } from '../../scripts/chdb.mjs'

// The command as its operator runs it, killed where it hurts. Needs `npm run build` and the engine: npm run test:all
describe.runIf(hasChdb())('npm run move-clicks', () => {
  let clickhouse: Awaited<ReturnType<typeof startClickHouse>>
  let server: TestServer
  let dataDir: string
  const settings = () => ({ url: clickhouse.url, cluster: undefined, keepDays: 800 })

  beforeAll(async () => {
    clickhouse = await startClickHouse()
    dataDir = await mkdtemp(join(tmpdir(), 'hoplet-move-'))
    server = await startTestServer({ trustedProxies: 1 })
    const { owner, first, second } = await plantPopupLinks(server)
    const codes = ['one', 'two', 'three']
    const links = await plantLinks(
      server.sql,
      codes.map((code) => ({ code, url: 'https://example.com/' })),
      owner.id,
    )
    await visitAtRandom(server, codes, { count: 200, seed: 3 })
    await received(server, 200)
    await plantHistory(server, {
      popup: first.popupId,
      surfaces: [first.id, second.id],
      links: links.map(({ id }) => id),
      count: 2_000,
      days: 30,
      seed: 4,
    })
  })
  afterAll(async () => {
    await server.close()
    await clickhouse.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const children: ChildProcess[] = []
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const move = (...args: string[]) => {
    const child = spawn(process.execPath, ['dist/server/command.js', 'move-clicks', ...args], {
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: server.databaseUrl,
        DATA_DIR: dataDir,
        CLICKHOUSE_URL: clickhouse.url,
        LOG_LEVEL: 'fatal',
      },
    })
    children.push(child)
    const run = { output: '', code: undefined as number | null | undefined }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (run.output += chunk.toString()))
    child.once('close', (code) => (run.code = code))
    return {
      run,
      ended: () => vi.waitFor(() => expect(run.code).toBeDefined(), soon),
      says: (text: string) => vi.waitFor(() => expect(run.output).toContain(text), soon),
      kill: () => child.kill('SIGKILL'),
    }
  }
  const stateOf = async () =>
    (await server.sql<{ state: string }>('select state from app.click_store'))[0]?.state
  const isComparing = async () => {
    const [row] = await server.sql<{ holds: boolean }>(
      `select app.is_leased('clicks:pause') as holds`,
    )
    return row?.holds
  }

  it('goes on after a kill at any time, and one waits for another', async () => {
    const copying = move()
    await copying.says('(day 3 of')
    copying.kill()
    await copying.ended()

    // The comparison reads it, and copying does not.
    const holder = new pg.Client({ connectionString: server.databaseUrl })
    await holder.connect()
    await holder.query('begin; set local role hoplet_owner; lock table app.click_erasures')
    const comparing = move()
    await comparing.says('Another command is at work')
    await vi.waitFor(async () => expect(await isComparing()).toBe(true), soon)
    comparing.kill()
    await comparing.ended()
    await holder.query('commit')
    await holder.end()
    const [copied] = /^[\d-]+(?=:.*day 3 of)/m.exec(copying.run.output) ?? []
    expect(copied).toBeDefined()
    expect(comparing.run.output).not.toContain(copied)
    expect(await stateOf()).toBe('moving')

    const first = move()
    const second = move()
    await first.ended()
    await second.ended()
    for (const { run } of [first, second]) {
      expect(run.output).toContain('Another command is at work')
      expect(run.output).toContain('same numbers')
      expect(run.code).toBe(0)
    }
    expect(await hitsInClickHouse(settings())).toEqual(await hitsInPostgres(server))
    expect(await stateOf()).toBe('both')
  })
})
