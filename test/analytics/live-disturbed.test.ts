/** @module-tag extended */
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openEventStream } from '#server/http/event-stream.ts'
import { createLog } from '#server/log.ts'
import { type Database, DatabaseUnavailableError, openDatabase } from '#server/postgres/database.ts'
import { createTestDatabase } from '#test/database.ts'
import { startTestServer } from '#test/server.ts'
import { makeAccount } from '#test/tables/accounts.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { openLive } from './live-client.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

/** A server with a stream for everyone. `sendMany` sends until the stream is over, or so many bytes are sent. */
async function serveStream() {
  let stream: ReturnType<typeof openEventStream> | undefined
  let isOpen = false
  let socket: Socket | undefined
  const listener = getRequestListener(() => {
    isOpen = true
    stream = openEventStream({
      disconnect: () => socket?.destroy(),
      onClose: () => (isOpen = false),
    })
    return new Response(stream.body)
  })
  const server: Server = createServer((request, response) => void listener(request, response))
  server.on('connection', (connected: Socket) => (socket = connected))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => (server.closeAllConnections(), server.close()))
  return {
    port: (server.address() as AddressInfo).port,
    isOpen: () => isOpen,
    async sendMany(bytes: number) {
      const text = 'x'.repeat(10_000)
      let sent = 0
      for (; isOpen && sent < bytes; sent += text.length) {
        stream?.send('hits', { text })
        await new Promise((resolve) => setImmediate(resolve))
      }
      return sent
    },
  }
}

describe('a reader', () => {
  const open = (port: number) => {
    const client = connect({ port, host: '127.0.0.1' })
    client.on('error', () => {})
    client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    cleanups.push(() => client.destroy())
    return client
  }

  it('that is slow is cut off', async () => {
    const server = await serveStream()
    const client = open(server.port)
    await new Promise((resolve) => client.once('data', resolve))
    client.pause()
    let isClosed = false
    client.on('close', () => (isClosed = true))
    // The kernel's own buffers take a few megabytes.
    expect(await server.sendMany(100e6)).toBeLessThan(100e6)
    expect(server.isOpen()).toBe(false)
    client.resume()
    await expect.poll(() => isClosed).toBe(true)
  })

  it('that keeps up is not (control)', async () => {
    const server = await serveStream()
    const client = open(server.port)
    await new Promise((resolve) => client.once('data', resolve))
    client.resume()
    expect(await server.sendMany(20e6)).toBe(20e6)
    expect(server.isOpen()).toBe(true)
  })

  it('that leaves is noticed', async () => {
    const server = await serveStream()
    const client = open(server.port)
    await new Promise((resolve) => client.once('data', resolve))
    client.destroy()
    await expect.poll(() => server.isOpen()).toBe(false)
  })
})

/** A server with a database that can be taken away. */
async function startFragile() {
  const own = await createTestDatabase()
  const database = openDatabase(own.url, createLog('silent'))
  let isDown = false
  const fragile: Database = {
    transactionAs: (caller, work) =>
      isDown
        ? Promise.reject(new DatabaseUnavailableError('taken away'))
        : database.transactionAs(caller, work),
    load: database.load,
    close: () => database.close(),
  }
  const server = await startTestServer({ databaseUrl: own.url }, { database: fragile })
  cleanups.push(own.drop, server.close)
  const onDatabase = { ...server, sql: own.sql }
  const owner = await makeAccount(onDatabase, { plan: 'pro' })
  await plantLinks(own.sql, [{ code: 'fragile', url: 'https://example.com/' }], owner.id)
  return { server, owner, setDown: (down: boolean) => (isDown = down) }
}

describe('while the database is away', () => {
  it('the stream stays, and sends missed hits afterwards', async () => {
    const { server, owner, setDown } = await startFragile()
    const client = await openLive(server, owner)
    await visit(server.url, '/fragile')
    await expect.poll(() => client.received()).toEqual({ counted: 1 })
    setDown(true)
    await visit(server.url, '/fragile')
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    expect(client.received()).toEqual({ counted: 1 })
    setDown(false)
    await expect.poll(() => client.received()).toEqual({ counted: 1, repeat: 1 })
    client.close()
  })

  it('it ends when no one can say any more who may read it', async () => {
    const { server, owner, setDown } = await startFragile()
    const client = await openLive(server, owner)
    setDown(true)
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000)
    await expect.poll(() => client.isOver()).toBe(true)
    expect(client.events.map(({ data }) => data)).toEqual([{ reason: 'unavailable' }])
  })

  it('a token ends its stream, and another one can be opened with the next', async () => {
    const { server, owner } = await startFragile()
    const claims = owner.claims
    const token = await server.context.tokens.sign(claims, 0)
    const brief = { headers: { authorization: `Bearer ${token}` } }
    const client = await openLive(server, brief)
    expect(client.status).toBe(200)
    const now = Date.now.bind(Date)
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 61_000)
    await visit(server.url, '/fragile')
    await expect.poll(() => client.isOver()).toBe(true)
    expect(client.events.map(({ data }) => data)).toEqual([{ reason: 'token' }])
    const next = await openLive(server, owner)
    expect(next.status).toBe(200)
    next.close()
  })
})
