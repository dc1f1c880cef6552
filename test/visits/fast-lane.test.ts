import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerUnreadable } from '#server/http/refusals.ts'
import { createHttpServer, createRequestListener, httpTimeouts } from '#server/server.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { countOf, plantLinks, type Planted } from './plant.ts'
import { browser } from './visit.ts'

/** Two servers with one context: one with the fast lane, one on node:http alone. */
let server: TestServer
let fast: number
let plain: number
let link: Planted
const servers: Server[] = []

beforeAll(async () => {
  server = await startTestServer()
  const [planted] = await plantLinks(server.sql, [
    { code: 'fast', url: 'https://example.com/lane?a=b#c' },
  ])
  if (!planted) throw new Error('nothing planted')
  link = planted
  fast = await listen(createHttpServer(server.context, new Hono()))
  const onHttp = createServer(httpTimeouts, createRequestListener(server.context, new Hono()))
  answerUnreadable(onHttp, server.context.log)
  plain = await listen(onHttp)
})
afterAll(async () => {
  for (const each of servers) {
    each.closeAllConnections()
    await new Promise((resolve) => each.close(resolve))
  }
  await server.close()
})

async function listen(each: Server): Promise<number> {
  servers.push(each)
  await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
  return (each.address() as AddressInfo).port
}

/** Sends the pieces one by one, then a request with `Connection: close`, so that every exchange ends. */
async function exchange(port: number, pieces: readonly Buffer[], pauseMs: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true)
  const received: Buffer[] = []
  let isEnded = false
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('end', () => (isEnded = true))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const last = Buffer.from('GET /404 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  for (const piece of [...pieces, last]) {
    if (isEnded || socket.destroyed) break
    socket.write(piece)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  // After an incomplete request, both servers read the last one as a part of it and wait for more.
  await Promise.race([closed, sleep(10_000)])
  socket.destroy()
  return untilClosing(Buffer.concat(received).toString('latin1'))
    .replaceAll(/^Date: .*$/gim, 'Date: now')
    .replaceAll(/^X-Request-Id: .*$/gim, 'X-Request-Id: some')
}

/** Cuts the text after the first head with `Connection: close`, where a client stops reading. */
function untilClosing(text: string): string {
  const closing = /\r\nConnection: close\r\n/i.exec(text)
  const end = closing ? text.indexOf('\r\n\r\n', closing.index) : -1
  return end < 0 ? text : text.slice(0, end)
}

const request = (lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`
const simple = (path = '/fast', ...headers: string[]) =>
  request([`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', `User-Agent: ${browser}`, ...headers])

/** One to three requests, most of them malformed, with where to cut the bytes and which bit to flip. */
function oddRequests() {
  const paths = [
    '/fast',
    '/FAST/',
    '/fast?q=%2F',
    '/fast#x',
    '/q/fast',
    '/Q/FAST/T4?x',
    '/q/fast/',
    '/q/fast/x',
    '/q/q/fast',
    '/Q/NOBODY',
    '/q//fast',
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
  return fc.noBias(
    fc.record({
      requests: fc.array(one, { minLength: 1, maxLength: 3 }),
      cuts: fc.array(fc.nat(400), { maxLength: 2 }),
      flip: fc.option(fc.tuple(fc.nat(200), fc.nat(7)), { freq: 4 }),
      pause: fc.constantFrom(0, 0, 5),
    }),
  )
}

describe('the fast lane', () => {
  it('counts and responds like node:http', async () => {
    const before = await countOf(server.sql, link.id)
    const answer = await exchange(fast, [Buffer.from(simple('/FAST?x=1'))], 30)
    expect(answer).toMatch(
      /^HTTP\/1\.1 302 Found\r\nLocation: https:\/\/example\.com\/lane\?a=b#c\r\n/,
    )
    expect(answer).toBe(await exchange(plain, [Buffer.from(simple('/FAST?x=1'))], 30))
    await expect.poll(() => countOf(server.sql, link.id), { timeout: 240_000 }).toBe(before + 2)
  })

  it('answers scans like node:http, wherever the code is', async () => {
    const scans = ['/Q/FAST', '/q/fast/', '/q/fast/t4?x=1']
    for (const path of [...scans, '/q/fast/x', '/q/nobody', '/q/']) {
      const pieces = [simple(path), simple()].map((text) => Buffer.from(text))
      const answer = await exchange(fast, pieces, 40)
      expect(answer).toBe(await exchange(plain, pieces, 40))
      const redirects = answer.split(`HTTP/1.1 302 Found\r\nLocation: ${link.url}`).length - 1
      expect([path, redirects]).toEqual([path, scans.includes(path) ? 2 : 1])
    }
  })

  it(
    'gives the same bytes for 1,000 odd requests, cut anywhere',
    { tags: ['extended'] },
    async () => {
      const cases = oddRequests()
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
    },
  )

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
      // Head and body are sent apart, so that the head alone looks like a complete request.
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
      simple(),
    ].map((text) => Buffer.from(text))
    const answer = await exchange(fast, pieces, 40)
    expect(answer.match(/^Location: .*$/gm)).toEqual([
      ...Array(2).fill(`Location: ${link.url}`),
      'Location: /404',
      // None for the prefetch.
      ...Array(2).fill(`Location: ${link.url}`),
    ])
    expect(answer).toBe(await exchange(plain, pieces, 40))
  })

  it('gives the same response wherever the bytes are cut', { tags: ['extended'] }, async () => {
    const streams: Record<string, string> = {
      'one visit': simple(),
      'pipelined visits': simple() + simple('/nobody') + simple('/FAST?x'),
      'two Host headers': simple('/fast', 'Host: other'),
      'no Host header': request(['GET /fast HTTP/1.1']),
      'HTTP/0.9': 'GET /fast\r\n\r\n',
      'HTTP/2.0': request(['GET /fast HTTP/2.0', 'Host: x']),
      'Content-Length and Transfer-Encoding': `${simple('/fast', 'Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
      'two Content-Lengths': `${simple('/fast', 'Content-Length: 3', 'Content-Length: 4')}abc`,
      'a body': `${simple('/fast', 'Content-Length: 9')}GET /x HT${simple()}`,
      'a folded header': simple('/fast', 'X: a', ' b'),
      'a blank before a colon': simple('/fast', 'X : a'),
      'bare line feeds': `GET /fast HTTP/1.1\nHost: x\n\n`,
      'an absolute target': request(['GET http://x/fast HTTP/1.1', 'Host: x']),
    }
    const wrong: unknown[] = []
    const responses = new Map<string, string>()
    const checks: (() => Promise<void>)[] = []
    for (const [name, text] of Object.entries(streams)) {
      const bytes = Buffer.from(text, 'latin1')
      const expected = exchange(plain, [bytes], 5)
      for (let cut = 0; cut < bytes.length; cut++) {
        const pieces = cut === 0 ? [bytes] : [bytes.subarray(0, cut), bytes.subarray(cut)]
        checks.push(async () => {
          const response = await exchange(fast, pieces, 5)
          responses.set(name, response)
          if (response !== (await expected)) wrong.push({ name, cut, response })
        })
      }
    }
    for (let i = 0; i < checks.length; i += 60)
      await Promise.all(checks.slice(i, i + 60).map((check) => check()))
    expect(wrong.slice(0, 2)).toEqual([])
    const statusOf = (name: string) => /^HTTP\/1\.1 (\d+)/.exec(responses.get(name) ?? '')?.[1]
    const refused = Object.keys(streams).filter((name) => statusOf(name) === '400')
    expect(refused).toEqual([
      'two Host headers',
      'no Host header',
      'HTTP/0.9',
      'HTTP/2.0',
      'Content-Length and Transfer-Encoding',
      'two Content-Lengths',
      'a folded header',
      'a blank before a colon',
      'bare line feeds',
    ])
  })

  it('the server closes idle sockets of the fast lane', async () => {
    const own = createHttpServer(server.context, new Hono())
    const socket = connect(await listen(own), '127.0.0.1')
    socket.on('error', () => {})
    socket.write(simple())
    await new Promise((resolve) => socket.once('data', resolve))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    await new Promise((resolve) => own.close(resolve))
    await closed
    servers.splice(servers.indexOf(own), 1)
  })
})
