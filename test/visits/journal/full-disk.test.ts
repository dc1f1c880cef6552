/** @module-tag extended */
import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../free-port.ts'
import { scrape } from '../../metrics/scrape.ts'
import { startBuilt } from '../built.ts'
import { broken, type CodeHistory, drive, historyOf, noCounts } from '../history.ts'
import { plantLinks } from '../plant.ts'

/** A small file system that can be filled; only root on Linux may mount one. */
const canMount = process.platform === 'linux' && process.getuid?.() === 0 && tryMount()

/** In a new folder: a file system over TMPDIR itself hides the files of all tests that run meanwhile. */
function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'hoplet-mount-'))
  try {
    mount(folder, 1)()
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function mount(folder: string, megabytes: number): () => void {
  const options = `size=${megabytes}m,mode=0755`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'hoplet-test', folder])
  return () => void execFileSync('umount', ['--lazy', folder])
}

async function smallDisk(megabytes: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-full-'))
  const unmount = mount(folder, megabytes)
  onTestFinished(async () => {
    unmount()
    await rm(folder, { recursive: true, force: true })
  })
  return folder
}

/** Takes all room, to the last block. */
function fill(folder: string): void {
  const file = openSync(join(folder, 'filler'), 'a')
  try {
    for (const size of [1024 ** 2, 4_096]) writeUntilFull(file, Buffer.alloc(size, 1))
  } finally {
    closeSync(file)
  }
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    while (writeSync(file, block) === block.length);
  } catch {
    // It is full.
  }
}

/** Queries the included PostgreSQL, while it runs. */
async function sqlOf(dataDir: string) {
  const { superuserPassword, socketFolder } = JSON.parse(
    await readFile(join(dataDir, 'postgres.json'), 'utf8'),
  ) as { superuserPassword: string; socketFolder: string }
  const client = {
    user: 'postgres',
    password: superuserPassword,
    host: socketFolder,
    port: 5_432,
    database: 'hoplet',
  }
  return async <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => {
    const connection = new pg.Client(client)
    await connection.connect()
    try {
      return (await connection.query<Row>(text, values)).rows
    } finally {
      await connection.end()
    }
  }
}

interface Outcome {
  history: CodeHistory[]
  /** Answered and not counted. */
  missing: number
  /** What the metric said after the restart. */
  lost: number
}

/** Fills the disk of a default installation under visits, ends it, makes room, and starts it again. */
async function fillAndEnd(
  signal: 'SIGTERM' | 'SIGKILL',
  settings: Record<string, string> = {},
): Promise<Outcome> {
  const disk = await smallDisk(400)
  const dataDir = join(disk, 'data')
  const admin = await freePort()
  const own = { adminUrl: `http://127.0.0.1:${admin}` }
  const environment = { DATA_DIR: dataDir, ADMIN_PORT: String(admin), ...settings }
  const valueOf = async (name: string, labels?: Record<string, string>) =>
    (await scrape(own)).value(name, labels)
  const start = () => startBuilt({ CLICK_RESERVE_MB: '64', ...environment })

  const server = await start()
  onTestFinished(() => void server.process.kill('SIGKILL'))
  await expect.poll(() => valueOf('hoplet_journal_reserve_bytes', { state: 'missing' })).toBe(0)
  const codes = Array.from({ length: 20 }, (_, i) => ({
    code: `full-${i}`,
    url: 'https://a.example/',
  }))
  const links = await plantLinks(await sqlOf(dataDir), codes)
  const counts = noCounts(links)
  const driver = drive(server.url, links, 200, counts)
  await driver.answered(200)
  fill(disk)
  await expect
    .poll(async () => {
      const missing = await valueOf('hoplet_journal_reserve_bytes', { state: 'missing' })
      return missing + (await valueOf('hoplet_journal_degraded'))
    })
    .toBeGreaterThan(0)
  fill(disk)
  await driver.answered([...driver.statuses.values()].reduce((sum, n) => sum + n, 0) + 1_000)
  await server.end(signal)
  await driver.stop()
  expect([...driver.statuses.keys()].filter((status) => status !== 'broken')).toEqual(['302'])

  rmSync(join(disk, 'filler'))
  const again = await start()
  onTestFinished(() => void again.process.kill('SIGKILL'))
  await expect.poll(() => valueOf('hoplet_journal_waiting_bytes')).toBe(0)
  const lost = await valueOf('hoplet_clicks_lost_total')
  const history = await historyOf(await sqlOf(dataDir), links, counts)
  await again.end('SIGTERM')
  const sum = (key: 'received' | 'counted') => history.reduce((all, each) => all + each[key], 0)
  return { history, missing: sum('received') - sum('counted'), lost }
}

describe.skipIf(!canMount)('a full disk, with PostgreSQL and the journal on it', () => {
  it.each([
    ['SIGTERM', '1'],
    ['SIGKILL', '2'],
  ] as const)(
    'then %s with %s worker(s): what was answered is counted',
    async (signal, WORKERS) => {
      const { history, lost } = await fillAndEnd(signal, { WORKERS })
      expect(broken(history)).toEqual([])
      expect(lost).toBe(0)
    },
  )

  it('then SIGTERM with nearly no reserve: the stop writes what memory holds', async () => {
    const { history, lost } = await fillAndEnd('SIGTERM', { CLICK_RESERVE_MB: '4' })
    expect(broken(history)).toEqual([])
    expect(lost).toBe(0)
  })

  it('says after a kill without a reserve how many clicks were in memory only (control)', async () => {
    const { missing, lost } = await fillAndEnd('SIGKILL', { CLICK_RESERVE_MB: '0' })
    expect(missing).toBeGreaterThan(0)
    expect(lost).toBeGreaterThanOrEqual(missing)
  })
})
