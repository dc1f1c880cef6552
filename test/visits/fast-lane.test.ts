import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createConfig } from '#server/config.ts'
import { parseVariables } from '#server/env.ts'
import { createRateLimits } from '#server/http/rate-limit.ts'
import { createLog } from '#server/log.ts'
import { openDatabase } from '#server/postgres/database.ts'
import { createVisits, type Visits } from '#server/visits/visits.ts'
import { createTestDatabase, type TestDatabase } from '#test/database.ts'
import { countOf, plantLinks, type Planted } from './plant.ts'
import { browser } from './visit.ts'

/** One door 4 behind two servers: with the fast lane in front, and on node:http alone. */
let store: TestDatabase
let visits: Visits
let fast: number
let plain: number
let link: Planted
const cleanups: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  store = await createTestDatabase()
  const [planted] = await plantLinks(store.sql, [
    { code: 'fast', url: 'https://example.com/lane?a=b#c' },
  ])
  if (!planted) throw new Error('nothing planted')
  link = planted
  const dataDir = await mkdtemp(join(tmpdir(), 'hoplet-lane-'))
  const log = createLog('silent')
  const database = openDatabase(store.url, log)
  visits = await createVisits({
    config: {
      ...createConfig(parseVariables({ DATA_DIR: dataDir })),
      publicUrl: 'http://127.0.0.1:3000',
    },
    database,
    listener: { on() {}, connected: () => true, close: async () => {} },
    rateLimits: createRateLimits(false),
    log,
  })
  const servers = [await serve(true), await serve(false)] as const
  fast = portOf(servers[0])
  plain = portOf(servers[1])
  cleanups.push(
    () => store.drop(),
    () => rm(dataDir, { recursive: true }),
    () => database.close(),
    () => visits.close(),
    ...servers.map((server) => async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }),
  )
})
afterAll(async () => {
  for (const clean of cleanups.toReversed()) await clean()
})

async function serve(withLane: boolean): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 10_000 },
    (request, response) => {
      if (!visits.handle(request, response)) response.writeHead(418).end('not a visit')
    },
  )
  if (withLane) visits.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

/** Sends the pieces one by one; then, so that every exchange ends, a request that asks to close. */
async function exchange(port: number, pieces: readonly Buffer[], pause: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const last = Buffer.from('GET /404 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  for (const piece of [...pieces, last]) {
    if (socket.destroyed) break
    socket.write(piece)
    if (pause > 0) await sleep(pause)
  }
  // An unfinished request swallows the last one and waits for more: both servers do.
  await Promise.race([closed, sleep(1_500)])
  socket.destroy()
  return Buffer.concat(received)
    .toString('latin1')
    .replaceAll(/^Date: .*$/gm, 'Date: now')
    .replaceAll(/^X-Request-Id: .*$/gm, 'X-Request-Id: some')
}

const request = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const simple = (path = '/fast', ...headers: string[]) =>
  request([`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `User-Agent: ${browser}`, ...headers])

describe('the fast lane', () => {
  it('counts and answers like node:http', async () => {
    const before = await countOf(store.sql, link.id)
    const answer = await exchange(fast, [Buffer.from(simple('/FAST?x=1'))], 30)
    expect(answer).toMatch(
      /^HTTP\/1\.1 302 Found\r\nLocation: https:\/\/example\.com\/lane\?a=b#c\r\n/,
    )
    expect(answer).toBe(await exchange(plain, [Buffer.from(simple('/FAST?x=1'))], 30))
    await expect.poll(() => countOf(store.sql, link.id), { timeout: 5_000 }).toBe(before + 2)
  })

  it('gives the same bytes for 1,000 odd requests, cut anywhere', async () => {
    const paths = [
      '/fast',
      '/FAST/',
      '/fast?q=%2F',
      '/fast#x',
      '/nobody',
      '/404',
      '/auth',
      '/fast/x',
      '/',
      '*',
      'http://x/fast',
      '/fa%73t',
      '/fast x',
      '/fäst',
    ]
    const lines = [
      'Host: a',
      'host : a',
      'Hoxt: a',
      'Connection: keep-alive',
      'Connection: close',
      'connection: Upgrade',
      'Upgrade: websocket',
      'Content-Length: 5',
      'content-length: 0',
      'Content-Length: x',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
      'Expect: x',
      'Referer:https://social.example/\t',
      'Purpose: prefetch',
      ' folded: x',
      'no colon',
      ': empty',
      'X-\u00e4: 1',
      'X: \u00e4',
      'X: a\u0000b',
      'X: a\rb',
      'X: a\nb',
      'User-Agent: curl/8',
      'Accept: */*',
      `X-Long: ${'y'.repeat(5_000)}`,
      'TE: trailers',
      'Sec-Purpose:prefetch',
      '',
    ]
    const versions = [
      'HTTP/1.1',
      'HTTP/1.1',
      'HTTP/1.1',
      'HTTP/1.1',
      'HTTP/1.0',
      'HTTP/2.0',
      'http/1.1',
      '',
    ]
    const methods = ['GET', 'GET', 'GET', 'GET', 'GET', 'HEAD', 'POST', 'get', 'GE']
    const ends = [
      '\r\n\r\n',
      '\r\n\r\n',
      '\r\n\r\n',
      '\r\n\r\n',
      '\n\n',
      '\r\n\n',
      '\r\n\r\nhello',
      '\r\n',
    ]
    const one = fc.oneof(
      { weight: 1, arbitrary: fc.constant(simple()) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(
            fc.constantFrom(...methods),
            fc.constantFrom(...paths),
            fc.constantFrom(...versions),
            fc.array(fc.constantFrom(...lines), { maxLength: 3 }),
            fc.boolean(),
            fc.constantFrom(...ends),
          )
          .map(
            ([method, path, version, extra, host, end]) =>
              [`${method} ${path} ${version}`, ...(host ? ['Host: 127.0.0.1'] : []), ...extra].join(
                '\r\n',
              ) + end,
          ),
      },
    )
    const cases = fc.noBias(
      fc.record({
        requests: fc.array(one, { minLength: 1, maxLength: 3 }),
        cuts: fc.array(fc.nat(400), { maxLength: 2 }),
        flip: fc.option(fc.tuple(fc.nat(200), fc.nat(7)), { freq: 4 }),
        pause: fc.constantFrom(0, 0, 5),
      }),
    )
    const differences: unknown[] = []
    const compare = async ({
      requests,
      cuts,
      flip,
      pause,
    }: typeof cases extends fc.Arbitrary<infer T> ? T : never) => {
      const bytes = Buffer.from(requests.join(''), 'latin1')
      if (flip) {
        const [at, bit] = [flip[0] % bytes.length, flip[1]]
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
      }
      const edges = [
        0,
        ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b),
        bytes.length,
      ]
      const pieces = edges.slice(1).map((edge, i) => bytes.subarray(edges[i], edge))
      const [a, b] = await Promise.all([
        exchange(fast, pieces, pause),
        exchange(plain, pieces, pause),
      ])
      if (a !== b) differences.push({ sent: bytes.toString('latin1'), fast: a, plain: b })
    }
    const samples = fc.sample(cases, { numRuns: 1_000, seed: 302 })
    for (let i = 0; i < samples.length; i += 40)
      await Promise.all(samples.slice(i, i + 40).map(compare))
    expect(differences.slice(0, 2)).toEqual([])
  }, 120_000)

  it('leaves requests with a body, an upgrade or an expectation to node:http', async () => {
    for (const [header, body] of [
      ['Content-Length: 5', 'hello'],
      ['content-LENGTH: 0005', 'hello'],
      ['Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n'],
      ['Transfer-Encoding: gzip, chunked', '0\r\n\r\n'],
      ['Expect: 100-continue', ''],
      ['Connection: close', ''],
      ['Connection: Upgrade\r\nUpgrade: websocket', ''],
      ['Connection: keep-alive, TE\r\nTE: trailers', ''],
      ['Host: again', ''],
    ] as const) {
      // Head and body apart, so that the head alone looks like a whole request.
      const pieces = [simple(), simple('/fast', header), body, simple()].map((text) =>
        Buffer.from(text),
      )
      const [a, b] = await Promise.all([exchange(fast, pieces, 40), exchange(plain, pieces, 40)])
      expect(a).toBe(b)
    }
  })

  it('keeps a connection for many visits and hands it over in the middle', async () => {
    const pieces = [
      simple(),
      simple(),
      simple('/nobody'),
      simple(),
      simple('/fast', 'Purpose: prefetch'),
    ].map((text) => Buffer.from(text))
    const answer = await exchange(fast, pieces, 40)
    expect(answer.match(/^Location: .*$/gm)).toEqual([
      ...Array(2).fill(`Location: ${link.url}`),
      'Location: /404',
      ...Array(2).fill(`Location: ${link.url}`),
    ])
    expect(answer).toBe(await exchange(plain, pieces, 40))
  })

  it('closes with the server', async () => {
    const server = await serve(true)
    const socket = connect(portOf(server), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(simple())
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await new Promise((resolve) => server.close(resolve))
    await closed
  })
})
