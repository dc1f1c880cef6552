/** @module-tag extended */
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openFastLane } from '#server/visits/lane/fast-lane.ts'
import { createSimpleVisitReader } from '#server/visits/lane/simple-visit.ts'
import type { LinkEntry } from '#server/visits/names/name-entry.ts'
import { redirectTo } from '#server/visits/responses.ts'

const clients = 40
const requestsPerClient = 500
const maxBufferedBytes = 5 * 1024 ** 2

const site = { publicUrl: 'http://127.0.0.1', hstsSubdomains: false }
const place = { prefix: '', site, links: site }
const hosts = { placeAt: () => place, generation: () => place }

const link: LinkEntry = {
  kind: 'link',
  id: '00000000-0000-4000-8000-000000000000',
  key: 'x',
  name: 'x',
  destination: '',
  redirect: redirectTo(`https://example.com/${'x'.repeat(12_000)}`, {
    publicUrl: 'http://127.0.0.1',
    hstsSubdomains: false,
  }),
  popup: undefined,
  title: undefined,
  options: undefined,
  isPlain: true,
}

interface Lane {
  port: number
  /** Responses sent so far, by requested name. */
  served: Map<string, number>
  bufferedBytes(): number
  openSockets(): number
}

const cleanups: (() => void)[] = []
afterEach(() => cleanups.splice(0).forEach((clean) => clean()))

/** The lane alone. With `isUnbounded` its sockets claim that the client reads everything at once. */
async function openLane(options: {
  drainTimeoutMs: number
  headersTimeoutMs?: number
  isUnbounded?: boolean
}): Promise<Lane> {
  const served = new Map<string, number>()
  const sockets = new Set<Socket>()
  const server: Server = createServer((_request, response) => response.writeHead(418).end())
  server.headersTimeout = options.headersTimeoutMs ?? server.headersTimeout
  openFastLane(
    server,
    {
      read: createSimpleVisitReader([], { hosts, trustedProxies: 0 }),
      find: (key) => ({ ...link, key, name: key }),
      record({ name, redirect }, _visit, connection) {
        served.set(name, (served.get(name) ?? 0) + 1)
        connection.send(redirect)
      },
      areEnding: () => false,
      sent() {},
      failed: (error) => {
        throw error
      },
    },
    options,
  )
  server.prependListener('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    if (!options.isUnbounded) return
    const write = socket.write.bind(socket) as (text: string, encoding: BufferEncoding) => boolean
    socket.write = ((text: string, encoding: BufferEncoding) => {
      write(text, encoding)
      return true
    }) as typeof socket.write
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    served,
    bufferedBytes: () => [...sockets].reduce((sum, { writableLength }) => sum + writableLength, 0),
    openSockets: () => sockets.size,
  }
}

function openClient(port: number): Socket {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  socket.on('error', () => {})
  cleanups.push(() => socket.destroy())
  return socket
}

/** Sends one request at a time and reads no byte. Stops when the lane stops responding. */
async function askWithoutReading(lane: Lane, name: string): Promise<Socket> {
  const socket = openClient(lane.port)
  for (let sent = 1; sent <= requestsPerClient; sent++) {
    socket.write(`GET /${name} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    for (let waits = 0; (lane.served.get(name) ?? 0) < sent; waits++) {
      if (waits === 60) return socket
      await sleep(5)
    }
  }
  return socket
}

const askAll = (lane: Lane) =>
  Promise.all(Array.from({ length: clients }, (_, i) => askWithoutReading(lane, `client-${i}`)))

describe('40 clients that do not read their responses', () => {
  it('leave less than 5 MB buffered in the server, and are disconnected', async () => {
    const lane = await openLane({ drainTimeoutMs: 1_500 })
    let largest = 0
    const watch = setInterval(() => (largest = Math.max(largest, lane.bufferedBytes())), 10)
    await askAll(lane)
    clearInterval(watch)
    expect(largest).toBeGreaterThan(0)
    expect(largest).toBeLessThan(maxBufferedBytes)
    await vi.waitFor(() => expect(lane.openSockets()).toBe(0), { timeout: 240_000 })
  })

  it('leave more than 5 MB without back-pressure (control)', async () => {
    const lane = await openLane({ drainTimeoutMs: 60_000, isUnbounded: true })
    await askAll(lane)
    expect(lane.bufferedBytes()).toBeGreaterThan(maxBufferedBytes)
  })
})

describe('a client that reads late', () => {
  it('gets every response, and keeps its connection', async () => {
    const lane = await openLane({ drainTimeoutMs: 30_000 })
    const socket = await askWithoutReading(lane, 'late')
    const before = lane.served.get('late') ?? 0
    expect(before).toBeLessThan(requestsPerClient)
    let received = ''
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
    const responses = () => received.split('HTTP/1.1 302 Found').length - 1
    // The last request is still in the kernel: the lane reads it after the client has read the responses.
    await vi.waitFor(() => expect(responses()).toBe(before + 1), { timeout: 240_000 })
    socket.write('GET /late HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await vi.waitFor(() => expect(responses()).toBe(before + 2), { timeout: 240_000 })
  })
})

describe('a process that was busy for longer than a client may wait', () => {
  it('answers the request that has arrived meanwhile, and disconnects a client that sent nothing', async () => {
    const lane = await openLane({ drainTimeoutMs: 1_000, headersTimeoutMs: 2_000 })
    const [asking, silent] = [connect(lane.port, '127.0.0.1'), connect(lane.port, '127.0.0.1')]
    cleanups.push(
      () => asking.destroy(),
      () => silent.destroy(),
    )
    const answered = new Promise<string>((resolve, reject) => {
      asking.once('data', (bytes) => resolve(bytes.toString('latin1'))).once('error', reject)
    })
    const disconnected = new Promise((resolve) => silent.once('close', resolve))
    await vi.waitFor(() => expect(lane.openSockets()).toBe(2), { timeout: 10_000, interval: 1 })
    // From here the event loop runs its timers before it reads.
    await new Promise((resolve) => setImmediate(resolve))
    asking.write('GET /busy HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    const until = performance.now() + 2_500
    while (performance.now() < until) JSON.stringify({})
    expect(await answered).toMatch(/^HTTP\/1\.1 302 Found/)
    await disconnected
  })
})
