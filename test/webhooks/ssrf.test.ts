import { Agent } from 'node:https'
import { createServer, isIP, type Server, type Socket, type TcpNetConnectOpts } from 'node:net'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Duplex } from 'node:stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeLink, makeUser } from '#test/factories.ts'
import { startTestServer } from '#test/server.ts'
import type { LookUpAll } from '#server/primitives/public-address.ts'
import { postToEndpoint } from '#server/webhooks/post.ts'
import { callWebhooks, webhookConfig } from './calls.ts'
import { startReceiver } from './receiver.ts'

// What listens here counts connections, whatever they speak.
let reached = 0
let listener: Server
let port: number
const sockets = new Set<Socket>()
beforeAll(async () => {
  listener = createServer((socket) => {
    reached++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  await new Promise<void>((resolve) => listener.listen(0, '::', resolve))
  port = (listener.address() as AddressInfo).port
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  listener.close()
})

/** The addresses of this machine beside loopback. */
const own = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0)
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

const literals = [
  // Loopback and this host, in every spelling that a URL parser takes.
  '127.0.0.1 127.1 127.0.1 127.255.255.254 0x7f000001 0x7f.1 0177.0.0.1 2130706433 017700000001 0.0.0.0 0 127.0.0.1. １２７.0.0.1 127。0。0。1',
  '[::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1]',
  '[2002:7f00:1::] [2002:a00:1::1] [2001:0:7f00:1::] [2001:db8::1] [100::1] [5f00::1] [3fff::1]',
  // Private networks, carriers, link-local, multicast, benchmarks, documentation, broadcast.
  '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.254 192.168.0.1 192.168.255.254 100.64.0.1 100.127.255.254 169.254.1.1',
  '192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255',
  '[fc00::1] [fd12:3456::1] [fe80::1] [fec0::1] [ff02::1] [::ffff:10.0.0.1] [::ffff:169.254.169.254]',
  // Metadata servers of clouds.
  '169.254.169.254 169.254.170.2 168.63.129.16 100.100.100.200 192.0.0.192 [fd00:ec2::254]',
  // Names that no public DNS knows.
  'localhost LOCALHOST. app.localhost intranet printer.local metadata.google.internal db.internal nas.lan router.home.arpa',
]
  .join(' ')
  .split(' ')

const request = { headers: {}, body: '{}', timeoutMs: 3_000, allowsPrivate: false }

const answering =
  (...answers: string[][]): LookUpAll =>
  (_host, _options, done) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }

it('a webhook reaches none of more than 60 private targets, as addresses and as names', async () => {
  const hosts = [...literals, ...own]
  expect(hosts.length).toBeGreaterThanOrEqual(60)
  const reachedBefore = reached
  const answers = await Promise.all(
    hosts.flatMap((host) => [
      postToEndpoint(`https://${host}:${port}/`, request),
      postToEndpoint(`http://${host}:${port}/`, request),
    ]),
  )
  for (const answer of answers) expect(answer).toHaveProperty('error')

  // The same addresses behind names, alone and beside a public one.
  const addresses = hosts
    .filter((host) => /^\[|^[\d.]+$/.test(host))
    .map((host) => new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, ''))
  expect(addresses.length).toBeGreaterThan(50)
  const url = `https://rebinding.example:${port}/`
  for (const address of addresses) {
    for (const answer of [[address], ['93.184.215.14', address]])
      expect(await postToEndpoint(url, { ...request, lookUp: answering(answer) })).toEqual({
        error: 'The address must be a public one',
      })
  }
  expect(reached).toBe(reachedBefore)

  // The control: where private addresses are allowed, every spelling of loopback leads to the listener.
  const allowed = { ...request, allowsPrivate: true }
  const spellings = literals.filter((host) => /^127|^0x7f|^2130706433$|^\[::1\]$/.test(host))
  for (const host of [...spellings, ...own])
    expect(await postToEndpoint(`http://${host}:${port}/`, allowed)).toMatchObject({ status: 200 })
  expect(reached).toBe(reachedBefore + spellings.length + own.length)
  expect(spellings.length).toBeGreaterThan(6)
})

/** Records where connections would go, and answers with an empty 200 in the place of the network. */
class RecordingAgent extends Agent {
  reached: string[] = []

  createConnection({ host = '', lookup }: TcpNetConnectOpts): Duplex {
    const connect = (address: string) => {
      this.reached.push(address)
      Object.assign(socket, { remoteAddress: address })
      socket.emit('connect')
    }
    const socket: Duplex = new Duplex({
      // What is written waits for this.
      construct: (done) =>
        setImmediate(() => {
          if (isIP(host) !== 0 || !lookup) {
            connect(host)
            return done()
          }
          lookup(host, { all: true }, (error, found) => {
            if (!error && typeof found !== 'string')
              for (const { address } of found) connect(address)
            done(error)
          })
        }),
      read: () => {},
      write: (_chunk, _encoding, done) => {
        socket.push('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
        done()
      },
    })
    return socket
  }
}

it('a webhook connects to public addresses of both families, as addresses and as names, and to no private one', async () => {
  const agent = new RecordingAgent()
  const post = (host: string, lookUp?: LookUpAll) =>
    postToEndpoint(`https://${host}/`, { ...request, agent, lookUp })
  const published = ['8.8.8.8', '2606:4700::1111', '1.1.1.1', '93.184.215.14', '2a00:1450::5']
  for (const address of published) {
    const answered = { status: 200, answer: '', retryAfter: undefined }
    expect(await post(address.includes(':') ? `[${address}]` : address)).toEqual(answered)
    expect(await post('receiver.example', answering([address]))).toEqual(answered)
  }
  expect(agent.reached).toEqual(published.flatMap((address) => [address, address]))

  for (const host of [...literals, ...own]) {
    expect(await post(host)).toHaveProperty('error')
    if (!/^\[|^[\d.]+$/.test(host)) continue
    const address = new URL(`https://${host}`).hostname.replace(/^\[|\]$/g, '')
    for (const answer of [[address], ['8.8.8.8', address], ['2606:4700::1111', address]])
      expect(await post('receiver.example', answering(answer))).toHaveProperty('error')
  }
  expect(agent.reached).toHaveLength(2 * published.length)
})

it('a webhook asks again at every connection: a name that was public once is refused when it is private', async () => {
  const reachedBefore = reached
  // Public by its range, and routed nowhere (the former 6bone).
  const lookUp = answering(['3ffe::1'], ['127.0.0.1'])
  const rebinding = { ...request, lookUp, timeoutMs: 500 }
  const first = await postToEndpoint(`https://rebinding.example:${port}/`, rebinding)
  expect(first).toHaveProperty('error')
  expect(first).not.toHaveProperty('error', 'The address must be a public one')
  expect(await postToEndpoint(`https://rebinding.example:${port}/`, rebinding)).toEqual({
    error: 'The address must be a public one',
  })
  expect(reached).toBe(reachedBefore)
})

it('a webhook refuses private endpoints where they are written, and sends to none that got into the database', async () => {
  const server = await startTestServer(webhookConfig({ allowsPrivate: false }))
  const receiver = await startReceiver()
  const owner = await makeUser(server)
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254'])
    for (const address of [`https://${host}/`, `https://${host}:${port}/hook`]) {
      const body = { url: address, events: ['link.created'] }
      const { status, error } = await callWebhooks(server, owner.headers, 'POST', '', body)
      expect([status, error]).toEqual([400, 'The address must be a public one'])
    }
  for (const [url, words] of [
    ['http://example.com/', /https/],
    ['https://example.com:22/', /port/],
    ['https://example.com:80/', /port/],
  ] as const) {
    const body = { url, events: ['link.created'] }
    const { status, error } = await callWebhooks(server, owner.headers, 'POST', '', body)
    expect(status).toBe(400)
    expect(error).toMatch(words)
  }
  const body = { url: 'https://example.com:8443/hook', events: ['link.created'] }
  const { webhook } = await callWebhooks(server, owner.headers, 'POST', '', body)
  await server.sql('update app.webhooks set url = $1', [receiver.url])
  await makeLink(server, owner)
  const newest = async () =>
    (await callWebhooks(server, owner.headers, 'GET', `/${webhook.id}/deliveries`)).deliveries[0]
  await expect
    .poll(newest)
    .toMatchObject({ state: 'waiting', error: 'The address must begin with https://' })
  expect(receiver.connections).toBe(0)
  await receiver.close()
  await server.close()
})
