import { createServer, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { limitConnections } from '#server/http/connection-limit.ts'
import { createLog } from '#server/log.ts'
import { startTestServer } from '#test/server.ts'
import { plantLinks } from '#test/visits/plant.ts'
import { openFastLane } from '#server/visits/lane/fast-lane.ts'

/** Requests for /wait without a response. */
const waiting: ServerResponse[] = []
const cleanups: (() => void)[] = []
afterEach(() =>
  cleanups
    .splice(0)
    .reverse()
    .forEach((clean) => clean()),
)

async function serve(trustedProxies: number): Promise<number> {
  const server: Server = createServer((request, response) => {
    if (request.url === '/wait') waiting.push(response)
    else response.end('hello')
  })
  openFastLane(server, {
    read: () => undefined,
    find: () => undefined,
    record() {},
    areEnding: () => false,
    sent() {},
    failed() {},
  })
  limitConnections(server, { maxPerAddress: 5, trustedProxies, log: createLog('silent') })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

interface Client {
  socket: Socket
  isOpen(): boolean
  received(): string
}

function open(
  port: number,
  localAddress = '127.0.0.1',
  sent = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
): Client {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  let isOpen = true
  let received = ''
  socket.on('error', () => {}).on('close', () => (isOpen = false))
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.write(sent)
  cleanups.push(() => socket.destroy())
  return { socket, isOpen: () => isOpen, received: () => received }
}

const openCount = (clients: readonly Client[]) => clients.filter(({ isOpen }) => isOpen()).length
const isServed = (client: Client) => expect.poll(() => client.received()).toContain('hello')

describe('connections from one address', () => {
  it('are limited: a new one takes the place of an idle one, another address is served', async () => {
    const port = await serve(0)
    const clients: Client[] = []
    for (let i = 0; i < 12; i++) {
      const client = open(port)
      clients.push(client)
      await isServed(client)
    }
    await expect.poll(() => openCount(clients)).toBe(5)
    expect(clients.at(-1)?.isOpen()).toBe(true)
    // Half a request is no reason to stay.
    const slow = Array.from({ length: 5 }, () => open(port, '127.0.0.3', 'GET / HTTP/1.1\r\nHo'))
    await isServed(open(port, '127.0.0.3'))
    await expect.poll(() => openCount(slow)).toBe(4)
    await isServed(open(port, '127.0.0.2'))
    expect(openCount(clients)).toBe(5)
  })

  it('are refused when all have a request under way, which goes on', async () => {
    const port = await serve(0)
    const busy: Client[] = []
    const wait = 'GET /wait HTTP/1.1\r\nHost: x\r\n\r\n'
    // One more than the limit is in the reserve for visits, which this server answers alike.
    for (let i = 1; i <= 6; i++) {
      busy.push(open(port, '127.0.0.1', wait))
      await expect.poll(() => waiting.length).toBe(i)
    }
    const more = Array.from({ length: 5 }, () => open(port))
    await expect.poll(() => openCount(more)).toBe(0)
    expect(more.map(({ received }) => received())).toEqual(Array(5).fill(''))
    for (const response of waiting.splice(0)) response.end('hello')
    await Promise.all(busy.map(isServed))
    // Then they are idle, and make room.
    await isServed(open(port))
  })

  it('serve visits when all have a request under way, and refuse everything else', async () => {
    const server = await startTestServer({ connectionsPerAddress: 5 })
    cleanups.push(() => void server.close())
    await plantLinks(server.sql, [{ code: 'reserved', url: 'https://example.com/' }])
    const { host, port: given } = new URL(server.url)
    const port = Number(given)
    const api = `GET /auth/v1/health HTTP/1.1\r\nHost: ${host}\r\n\r\n`
    const upload = `POST /auth/v1/signup HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`
    const before = open(port, '127.0.0.1', api)
    await expect.poll(() => before.received()).toContain('200 OK')
    before.socket.destroy()
    for (let i = 0; i < 5; i++) {
      const busy = open(port, '127.0.0.1', upload)
      await expect.poll(() => busy.received()).toContain('100 Continue')
    }
    const visitor = open(port, '127.0.0.1', `GET /reserved HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    await expect.poll(() => visitor.received()).toMatch(/^location: https:..example.com.\r/im)
    const refused = open(port, '127.0.0.1', api)
    await expect.poll(() => refused.received()).toContain('429 Too Many Requests')
    expect(refused.received()).toContain('"code":"too_many_connections"')
  })

  it('connections of trusted proxies are not limited (control)', async () => {
    const port = await serve(1)
    const clients = Array.from({ length: 20 }, () => open(port))
    await Promise.all(clients.map(isServed))
    expect(openCount(clients)).toBe(20)
  })
})
