import { createServer, connect, type Server, type Socket } from 'node:net'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import pino from 'pino'
import { afterEach, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import type { Logger } from '#server/log.ts'
import { createHealth } from '#server/http/health.ts'
import { startHoplet } from '#server/start.ts'
import type { Visits } from '#server/visits/visits.ts'
import { createTestDatabase } from '../database.ts'
import { startTestServer } from '../server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean()
})

interface LogLine {
  level: number
  msg?: string
  path?: string
}

function recordedLog(): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = []
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as LogLine)
      done()
    },
  })
  return { log: pino({ level: 'debug' }, destination), lines }
}

/** A loopback port that leads to a database, and is closed at first. */
async function openGate(database: URL): Promise<{ url: string; open(): Promise<void> }> {
  const folder = database.searchParams.get('host')
  const sockets = new Set<Socket>()
  const gate: Server = createServer((from) => {
    const onward = folder
      ? connect(`${folder}/.s.PGSQL.${database.port}`)
      : connect(Number(database.port), database.hostname)
    for (const socket of [from, onward]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => socket.destroy())
    }
    from.pipe(onward).pipe(from)
  })
  const listen = (port: number) =>
    new Promise<number>((resolve) =>
      gate.listen(port, '127.0.0.1', () => {
        const address = gate.address()
        resolve(typeof address === 'object' && address ? address.port : 0)
      }),
    )
  const close = () =>
    new Promise<void>((resolve) => {
      sockets.forEach((socket) => socket.destroy())
      gate.close(() => resolve())
    })
  const port = await listen(0)
  await close()
  const url = new URL(database)
  url.port = String(port)
  url.searchParams.set('host', '127.0.0.1')
  return {
    url: url.href,
    async open() {
      await listen(port)
      cleanups.unshift(close)
    },
  }
}

describe('a server that starts before its database', () => {
  it('waits for it and says so', async () => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-early-'))
    cleanups.push(
      () => database.drop(),
      () => rm(dataDir, { recursive: true, force: true }),
    )
    const gate = await openGate(new URL(database.url))
    const { log, lines } = recordedLog()
    const config = createConfig(
      parseVariables({ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: gate.url }),
    )
    const starting = startHoplet(config, log)
    const said = () => lines.map(({ msg }) => msg)
    await expect
      .poll(said, { timeout: 240_000 })
      .toContain('the database does not answer: waiting for it')
    await gate.open()
    const hoplet = await starting
    cleanups.push(() => hoplet.stop())
    expect(said()).toContain('the database answers')
    expect((await fetch(`${hoplet.url}/health/ready`)).status).toBe(200)
  })

  it('ends at once when the database refuses it', async () => {
    const database = await createTestDatabase()
    const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-refused-'))
    cleanups.push(
      () => database.drop(),
      () => rm(dataDir, { recursive: true, force: true }),
    )
    const url = new URL(database.url)
    url.password = 'wrong'
    const { log } = recordedLog()
    const config = createConfig(
      parseVariables({ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: url.href }),
    )
    await expect(startHoplet(config, log)).rejects.toThrow(
      /^the database refuses the connection: password .*\. Look at DATABASE_URL\.$/,
    )
  })
})

describe('/health/ready', () => {
  it.each([
    [200, { databaseDown: false, entries: 0 }, false],
    [200, { databaseDown: true, entries: 1 }, false],
    [503, { databaseDown: true, entries: 0 }, false],
    [503, { databaseDown: false, entries: 1 }, true],
  ])('answers %i with %j, draining: %s', async (status, visits, draining) => {
    const health = createHealth({
      visits: { status: () => visits } as unknown as Visits,
      draining,
    })
    expect((await health.request('/ready')).status).toBe(status)
    expect((await health.request('/live')).status).toBe(200)
  })

  it('is logged at debug, other requests at info', async () => {
    const { log, lines } = recordedLog()
    const server = await startTestServer({}, {}, log)
    cleanups.push(() => server.close())
    for (const path of ['/health/ready', '/dashboard']) await fetch(`${server.url}${path}`)
    const levelOf = (path: string) => lines.find((line) => line.path === path)?.level
    expect([levelOf('/health/ready'), levelOf('/dashboard')]).toEqual([20, 30])
  })
})
