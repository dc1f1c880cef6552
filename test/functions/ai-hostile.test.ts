/** @module-tag extended */

import { channel } from 'node:diagnostics_channel'
import { createServer, isIP, type AddressInfo, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import OpenAI from 'openai'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readGeneratedContent, readGeneratedDesign } from '#domain/popups/popup-generated.ts'
import { designFields } from '#server/ai/answers.ts'
import { fetchProviderImage } from '#server/ai/provider-image.ts'
import { publicOnly } from '#server/primitives/public-address.ts'
import { makeUser, type TestUser } from '#test/factories.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { aiConfig, askContent, askDesign, askImage } from './calls.ts'
import { hostileAnswers, hostileDesigns } from './hostile-answers.ts'
import { type FakeProvider, message, picture, startProvider, wellBehaved } from './provider.ts'

const key = 'sk-canary-7c1e5f'
let provider: FakeProvider
let server: TestServer
let ann: TestUser
let written = ''

beforeAll(async () => {
  provider = await startProvider()
  const limits = { perPerson: 100_000, total: 100_000 }
  server = await startTestServer(aiConfig(provider.baseUrl, { limits, apiKey: key }))
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  server.context.log = pino({ level: 'trace' }, sink)
  ann = await makeUser(server)
})
afterAll(async () => {
  await server.close()
  await provider.close()
})
beforeEach(async () => {
  provider.say = wellBehaved
  // Closes the breaker of either kind.
  await askContent(server, ann)
  await askImage(server, ann)
  provider.calls.length = 0
  provider.imageFetches.length = 0
})

describe('hostile output of a provider', () => {
  const fields = ['collectEmail', 'ctaText', 'description', 'title']

  it('50 hostile texts: only the three fields, within their lengths, get through', async () => {
    expect(hostileAnswers).toHaveLength(50)
    const outcomes = { passed: 0, refused: 0 }
    for (const text of hostileAnswers) {
      provider.say = () => ({ body: message(text) })
      const { status, body } = await askContent(server, ann)
      if (status === 200) {
        outcomes.passed++
        const content = JSON.parse(body.content ?? '') as Record<string, string>
        expect(Object.keys(content).sort()).toEqual(fields)
        expect(content['title']?.length).toBeLessThanOrEqual(60)
        expect(content['description']?.length).toBeLessThanOrEqual(120)
        expect(content['ctaText']?.length).toBeLessThanOrEqual(20)
        expect(JSON.stringify(content)).not.toMatch(/evil\.example|\\u0000|\u202e/)
        expect(readGeneratedContent(body.content)).toEqual({
          title: content['title'],
          description: content['description'],
          cta_text: content['ctaText'],
          collect_email: content['collectEmail'],
        })
      } else {
        outcomes.refused++
        expect([status, body.error]).toEqual([502, 'Failed to parse AI response'])
      }
    }
    expect(outcomes).toEqual({
      passed: expect.toSatisfy((n) => n >= 10),
      refused: expect.toSatisfy((n) => n >= 20),
    })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('hostile designs: hex colors and known words only', async () => {
    for (const text of hostileDesigns) {
      provider.say = () => ({ body: message(text) })
      const { status, body } = await askDesign(server, ann)
      if (status === 200) {
        const design = JSON.parse(body.content ?? '') as Record<string, unknown>
        expect(Object.keys(design)).toEqual([...designFields, 'mended', 'understood'])
        expect(design['understood']).toEqual(designFields)
        expect(readGeneratedDesign(body.content)).not.toBeNull()
      } else expect([status, body.error]).toEqual([502, 'Failed to parse AI response'])
    }
  })

  it('passing on all valid JSON would let most of it through (control)', () => {
    const naive = hostileAnswers.filter((text) => {
      try {
        const parsed: unknown = JSON.parse(String(text))
        return readGeneratedContent(text) === null || Object.keys(parsed as object).length !== 3
      } catch {
        return false
      }
    })
    expect(naive.length).toBeGreaterThan(15)
  })

  it('an answer without end, or one that is not a completion at all', async () => {
    const bodies = [
      'x'.repeat(9_000_000),
      { choices: [] },
      { choices: 'x' },
      { choices: [{ message: null }] },
      '<html>',
    ]
    for (const body of bodies) {
      provider.say = () => ({ body })
      const answer = await askContent(server, ann)
      expect(answer.status).toBe(502)
      expect(['Failed to parse AI response', 'Failed to generate content']).toContain(
        answer.body.error,
      )
    }
  })
})

describe('image addresses that a provider returns', () => {
  /** Addresses of the canary beside the provider, and of places that only a server inside can reach. */
  const tricks = (port: number) => [
    ...[
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0x7f000001',
      '2130706433',
      '017700000001',
      '0177.0.0.1',
      '127.0.0.01',
    ]
      .concat([
        '0',
        '0.0.0.0',
        'localhost',
        'localhost.',
        'LOCALHOST',
        'ip6-localhost',
        '[::1]',
        '[::ffff:127.0.0.1]',
      ])
      .concat([
        '[::ffff:7f00:1]',
        '[0:0:0:0:0:0:0:1]',
        '[::]',
        '127.0.0.1.',
        '①②⑦.⓪.⓪.①',
        '127。0。0。1',
        '%31%32%37.0.0.1',
      ])
      .map((host) => `http://${host}:${port}/x.png`),
    `http://${new URL(provider.origin).host}@127.0.0.1:${port}/x.png`,
    `http://127.0.0.1:${port}#@${new URL(provider.origin).host}/x.png`,
    `http://127.0.0.1:${port}\\@${new URL(provider.origin).host}/x.png`,
    `http://user:pass@${new URL(provider.origin).host}/images/x.png`,
    `//127.0.0.1:${port}/x.png`,
    `https://127.0.0.1:${port}/x.png`,
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://100.100.100.200/latest/meta-data/',
    'http://10.0.0.1/',
    'http://192.168.1.1/',
    'file:///etc/passwd',
    'data:image/png;base64,iVBORw0KGgo=',
    'gopher://127.0.0.1:6379/_FLUSHALL',
    'ftp://127.0.0.1/x.png',
    '/etc/passwd',
    'not an address',
  ]

  it('40 tricks: 0 connections; control: the provider itself is asked, and a plain fetch falls for many', async () => {
    const canary = await openCanary()
    const all = tricks(canary.port)
    expect(all.length).toBeGreaterThanOrEqual(40)
    const recorder = recordConnections(canary.port)
    for (const url of all) {
      provider.say = () => ({ body: { data: [{ url }] } })
      expect(await askImage(server, ann)).toMatchObject({
        status: 502,
        body: { error: 'Failed to generate image' },
      })
    }
    expect([recorder.foreign(), canary.connections(), provider.imageFetches]).toEqual([[], 0, []])

    provider.say = () => ({ body: { data: [{ url: `${provider.origin}/images/real.png` }] } })
    expect((await askImage(server, ann)).status).toBe(200)
    expect(provider.imageFetches).toEqual(['/images/real.png'])

    for (const url of all.slice(0, 26)) {
      await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => {})
    }
    expect(canary.connections()).toBeGreaterThan(8)
    expect(recorder.foreign().length).toBeGreaterThan(8)
    recorder.stop()
    await canary.close()
  })

  it('a redirect is not followed', async () => {
    provider.say = () => ({ body: { data: [{ url: `${provider.origin}/images/redirect` }] } })
    expect((await askImage(server, ann)).status).toBe(502)
    expect(provider.imageFetches).toEqual(['/images/redirect'])
  })

  it('a name that turns out to be private is not connected to', async () => {
    const canary = await openCanary()
    const fetchAs = (host: string, ...addresses: string[]) =>
      fetchProviderImage(`http://${host}:${canary.port}/x.png`, {
        provider: `http://${host}:${canary.port}/v1`,
        signal: AbortSignal.timeout(1_000),
        lookup: (_host, _options, done) =>
          done(
            null,
            addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
          ),
      })
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['::ffff:127.0.0.1'],
      ['64:ff9b::7f00:1'],
      ['10.1.2.3'],
      ['169.254.169.254'],
      ['fd00::1'],
      ['fe80::1'],
      ['0.0.0.0'],
      ['203.0.113.7', '127.0.0.1'],
    ]) {
      await expect(fetchAs('images.example', ...addresses)).rejects.toThrow('no connection')
    }
    expect(canary.connections()).toBe(0)
    // Controls: public addresses pass, and where the operator wrote a private name, it is asked.
    for (const address of ['8.8.8.8', '2606:4700::1111']) {
      const family = isIP(address)
      const lookUp = publicOnly((_host, _options, found) => found(null, [{ address, family }]))
      const found = await promisify(lookUp)('images.example', { all: true })
      expect(found).toEqual([{ address, family }])
    }
    await expect(fetchAs('localhost', '127.0.0.1')).rejects.toThrow(
      /broken off|no connection|status/,
    )
    expect(canary.connections()).toBe(1)
    await canary.close()
  })

  it('a file that is not an image, is too large, or is a decompression bomb is refused, by address and by bytes', async () => {
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    )
    const files = [
      svg,
      Buffer.from('GIF89a'),
      Buffer.alloc(0),
      Buffer.alloc(5 * 1024 * 1024 + 1, 0x89),
      Buffer.from('\x89PNG\r\n\x1a\nrubbish', 'latin1'),
    ]
    for (const file of files) {
      for (const data of [
        { b64_json: file.toString('base64') },
        { url: `${provider.origin}/images/a.png` },
      ]) {
        provider.image = file
        provider.say = () => ({ body: { data: [data] } })
        const { status, body } = await askImage(server, ann)
        expect([status, body.error]).toSatisfy(
          ([s, e]) => s === 502 || (s === 503 && e !== undefined),
        )
        expect(body.error).toBe('Failed to generate image')
      }
      provider.say = wellBehaved
      await askImage(server, ann)
    }
    provider.image = await picture()
  })
})

describe('answers and log', () => {
  it('errors contain neither the key nor the prompt nor the provider’s answer', async () => {
    const prompt = 'canary-prompt-19a3'
    const said = 'canary-said-55d0'
    const error = {
      error: { message: `Incorrect API key provided: ${key}. ${said} ${prompt}`, code: key },
    }
    let bodies = ''
    for (const status of [400, 401, 403, 404, 409, 422, 429, 500, 503]) {
      provider.say = () => ({
        status,
        body: error,
        headers: { 'x-key': key, 'retry-after-ms': '1' },
      })
      bodies += JSON.stringify(await askContent(server, ann, prompt))
      bodies += JSON.stringify(await askImage(server, ann, prompt))
      provider.say = wellBehaved
    }
    provider.say = () => ({ body: message(`${said} ${key}`) })
    bodies += JSON.stringify(await askContent(server, ann, prompt))
    expect(bodies).toContain('Failed to generate content')
    expect(provider.calls[0]?.key).toBe(`Bearer ${key}`)
    for (const secret of [key, said, prompt]) {
      expect(bodies).not.toContain(secret)
      expect(written).not.toContain(secret)
    }
    // One complaint can be followed all the same.
    expect(written).toMatch(/"prompt_hash":"[0-9a-f]{16}"/)
  })

  it('would contain the key if the error of the client were logged (control)', async () => {
    provider.say = () => ({
      status: 401,
      body: { error: { message: `Incorrect API key: ${key}` } },
    })
    const client = new OpenAI({ baseURL: provider.baseUrl, apiKey: key, maxRetries: 0 })
    const error: unknown = await client.chat.completions
      .create({ model: 'x', messages: [] })
      .catch((caught: unknown) => caught)
    let log = ''
    const sink = new Writable({
      write: (chunk, _encoding, done) => ((log += String(chunk)), done()),
    })
    pino(sink).error({ err: error }, 'failed')
    expect(log).toContain(key)
  })
})

async function openCanary() {
  let connections = 0
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.end()
  })
  await new Promise<void>((resolve) =>
    listener.listen({ port: 0, host: '::', ipv6Only: false }, resolve),
  )
  return {
    port: (listener.address() as AddressInfo).port,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        listener.close(() => resolve())
      }),
  }
}

/** Every connection that this process tries, except to the database, the provider and Hoplet itself. */
function recordConnections(canaryPort: number) {
  const tried: { host: string; port: number }[] = []
  const onSocket = (sent: unknown) => {
    const { socket } = sent as { socket: Socket }
    socket.on('connectionAttempt', (host: string, port: number) => tried.push({ host, port }))
  }
  const sockets = channel('net.client.socket')
  sockets.subscribe(onSocket)
  const known = [provider.origin, server.url, server.databaseUrl.replace('postgres', 'http')].map(
    (url) => Number(new URL(url).port),
  )
  return {
    foreign: () => tried.filter(({ port }) => port === canaryPort || !known.includes(port)),
    stop: () => sockets.unsubscribe(onSocket),
  }
}
