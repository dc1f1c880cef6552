/** @module-tag extended */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const entry = new URL('../dist/server/main.js', import.meta.url).pathname
let place: string
let children: ChildProcess[]

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'hoplet-start-'))
  children = []
})
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  await rm(place, { recursive: true, force: true, maxRetries: 5 })
})

interface Started {
  pid: number
  said(): string
  /** The address that it prints. */
  ready: Promise<string>
  ended: Promise<number | null>
}

/** The built server with the database that comes with it, in a process group of its own as a terminal has it. */
function start(environment: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [entry], {
    cwd: place,
    detached: true,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: join(place, 'data'),
      DRAIN_SECONDS: '0',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const ready = new Promise<string>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /Hoplet is ready: (\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    void ended.then(() => reject(new Error(`ended before it was ready: ${output}`)))
  })
  ready.catch(() => {})
  return { pid: child.pid ?? 0, said: () => output, ready, ended }
}

test('the printed address serves the app, also after a restart', { tags: ['gate'] }, async () => {
  for (let round = 1; round <= 2; round++) {
    const server = start()
    const address = await server.ready
    const page = await fetch(address)
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('<div id="app"')
    process.kill(server.pid, 'SIGTERM')
    expect(await server.ended).toBe(0)
  }
})

test('Ctrl-C, which npm sends a second time, drains the server and stops its database', async () => {
  const server = start()
  await server.ready
  process.kill(-server.pid, 'SIGINT')
  process.kill(server.pid, 'SIGINT')
  expect(await server.ended).toBe(0)
  expect(server.said()).not.toContain('connection lost')
  const log = await readFile(join(place, 'data/postgres.log'), 'utf8')
  expect(log.trimEnd()).toMatch(/database system is shut down$/)
})

test('a signal during the start takes effect after it', async () => {
  const server = start()
  await expect.poll(() => server.said(), { timeout: 240_000 }).toContain('making the database')
  process.kill(server.pid, 'SIGTERM')
  expect(await server.ended).toBe(0)
  await start().ready
})

test('a second server on the same data is refused in one line, and the first goes on', async () => {
  const first = start()
  const address = await first.ready
  const second = start()
  expect(await second.ended).toBe(1)
  expect(second.said().trim()).toMatch(
    new RegExp(
      `^Hoplet could not start: Another Hoplet \\(process ${first.pid}\\) is running on .*\\.$`,
    ),
  )
  expect((await fetch(address)).status).toBe(200)
})

test('a server killed under its database starts again, and logs its findings', async () => {
  const first = start()
  await first.ready
  process.kill(first.pid, 'SIGKILL')
  await first.ended
  const second = start()
  expect((await fetch(await second.ready)).status).toBe(200)
  expect(second.said()).toContain('stopping the PostgreSQL that a killed server left behind')
})

test('a wrong configuration stops the start, with every problem named', async () => {
  const server = start({ PORT: 'http', CLICK_FSYNC: 'maybe', DATABASE_URL: 'mysql://x' })
  expect(await server.ended).toBe(1)
  for (const name of ['PORT', 'CLICK_FSYNC', 'DATABASE_URL']) expect(server.said()).toContain(name)
})

test('settings that cannot be read stop the start', async () => {
  // As Docker makes it of a file that is not there.
  await mkdir(join(place, '.env'))
  const server = start()
  expect(await server.ended).toBe(1)
  expect(server.said()).toContain('.env: cannot be read: EISDIR')
})

test('a port in use is named, and nothing is left running', async () => {
  const first = start()
  const port = new URL(await first.ready).port
  const second = start({ DATA_DIR: join(place, 'other'), PORT: port })
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain(
    `it cannot listen on 127.0.0.1:${port}: another program has that port. Stop it, or choose another port.`,
  )
  const log = await readFile(join(place, 'other/postgres.log'), 'utf8')
  expect(log.trimEnd()).toMatch(/database system is shut down$/)
})

test('SIGTERM: for some seconds it serves on and says that it is not ready, then it ends', async () => {
  const server = start({ DRAIN_SECONDS: '2' })
  const address = await server.ready
  const statusOf = (path: string) => fetch(`${address}${path}`).then(({ status }) => status)
  expect(await statusOf('/health/ready')).toBe(200)
  process.kill(server.pid, 'SIGTERM')
  await expect.poll(() => statusOf('/health/ready')).toBe(503)
  expect([await statusOf('/health/live'), await statusOf('/404')]).toEqual([200, 404])
  expect(await server.ended).toBe(0)
  await expect(statusOf('/health/live')).rejects.toThrow()
})

test('a start without its database waits for it, says so, and can be stopped', async () => {
  const server = start({ DATABASE_URL: 'postgres://hoplet:x@127.0.0.1:1/hoplet' })
  await expect.poll(() => server.said()).toContain('the database does not answer: waiting for it')
  process.kill(server.pid, 'SIGTERM')
  expect(await server.ended).toBe(0)
})
