import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostIn } from '#server/http/hosts.ts'
import type { Config } from '#server/config.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { plantLinks } from './plant.ts'
import { visit } from './visit.ts'

const url = 'https://example.com/of-the-host'
const publicUrl = 'https://hop.example'
const servers: TestServer[] = []

async function start(config: Partial<Config>): Promise<TestServer> {
  const server = await startTestServer({ publicUrl, ...config })
  servers.push(server)
  await plantLinks(server.sql, [{ code: 'host', url }])
  return server
}

let refusing: TestServer
beforeAll(async () => {
  refusing = await start({ unknownHosts: 'refuse' })
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

/** `Connection: keep-alive` stays on the fast lane, `close` is for node:http. */
const lanes = ['keep-alive', 'close'] as const
const get = (server: TestServer, target: string, headers: Record<string, string>) =>
  visit(server.url, target, { headers })
const own = [
  'hop.example',
  'HOP.Example',
  'hop.example:443',
  'hop.example.',
  'www.hop.example',
  'localhost',
  '127.0.0.1:80',
  '[::1]',
]
const unknown = [
  'go.acme.example',
  'hop.example.evil.example',
  'evilhop.example',
  '192.0.2.7',
  'xn--hp-fka.example',
  'hop.example/x',
  'hop.example@evil.example',
  'hop example',
  'hop..example',
  'hop.example:x',
  'a'.repeat(3_000),
  'höp.example',
]

describe('the host of a request', () => {
  it('is compared in lower case, without port and trailing dot', () => {
    expect(hostIn(' Go.Acme.EXAMPLE.:8443 ')).toBe('go.acme.example')
    expect(hostIn('[2001:DB8::1]:443')).toBe('[2001:db8::1]')
    expect(hostIn('xn--bcher-kva.example')).toBe('xn--bcher-kva.example')
    for (const text of [
      '',
      ':80',
      'a b',
      'a/b',
      'a@b',
      'a:b:c',
      '.',
      'a..b',
      '*.a',
      'a,b',
      `${'a.'.repeat(200)}b`,
    ])
      expect([text, hostIn(text)]).toEqual([text, undefined])
  })

  it.each(lanes)(
    'gets its link at each spelling of the own host, and 421 elsewhere (%s)',
    async (connection) => {
      for (const host of [...own, ...unknown, ...own]) {
        const answer = await get(refusing, '/host', { host: encoded(host), connection })
        const expected = own.includes(host) ? [302, url] : [421, undefined]
        expect([host, answer.status, answer.location]).toEqual([host, ...expected])
      }
    },
  )

  it('says nothing about the server when it is unknown, at every path', async () => {
    for (const target of [
      '/',
      '/host',
      '/nobody',
      '/q/host',
      '/host+',
      '/auth/v1/settings',
      '/rest/v1/',
      '/report',
      '/health',
      '/docs',
      '/assets/x.js',
      '/x/y',
    ]) {
      const { status, body, rawHeaders } = await get(refusing, target, { host: 'other.example' })
      expect([target, status, body]).toEqual([target, 421, 'There is nothing at this address.\n'])
      expect(rawHeaders.join(' ')).not.toMatch(/hop|strict-transport|set-cookie/i)
    }
    const known = await get(refusing, '/auth/v1/settings', { host: 'hop.example' })
    expect(known.status).not.toBe(421)
  })

  it('gets no link when it is empty', async () => {
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(refusing.url).port), '127.0.0.1')
      socket.on('data', (chunk) => {
        resolve(chunk.toString())
        socket.destroy()
      })
      socket.write('GET /host HTTP/1.1\r\nHost:\r\nUser-Agent: x\r\n\r\n')
    })
    expect(answer).toMatch(/^HTTP\/1\.1 421 /)
  })

  it('counts in an absolute target before the header', async () => {
    const at = async (target: string, host: string) =>
      (await get(refusing, target, { host })).status
    expect(await at('http://other.example/host', 'hop.example')).toBe(421)
    expect(await at('http://hop.example/host', 'other.example')).toBe(302)
  })

  it('does not matter to health checks, which come by address', async () => {
    const { status } = await get(refusing, '/health/live', { host: '192.0.2.7:3000' })
    expect(status).toBe(200)
  })

  it('is not read from X-Forwarded-Host without a trusted proxy', async () => {
    for (const connection of lanes) {
      const told = { host: 'hop.example', 'x-forwarded-host': 'other.example', connection }
      expect((await get(refusing, '/host', told)).status).toBe(302)
      const pretended = { host: 'other.example', 'x-forwarded-host': 'hop.example', connection }
      expect((await get(refusing, '/host', pretended)).status).toBe(421)
    }
  })

  it('is read from X-Forwarded-Host of a trusted proxy', async () => {
    const server = await start({ unknownHosts: 'refuse', trustedProxies: 1 })
    for (const connection of lanes) {
      const at = async (forwarded: string, host: string) =>
        (await get(server, '/host', { host, 'x-forwarded-host': forwarded, connection })).status
      expect(await at('hop.example', '10.0.0.5:3000')).toBe(302)
      expect(await at('other.example', 'hop.example')).toBe(421)
      // A client said the first one, the proxy the last one.
      expect(await at('hop.example, other.example', 'hop.example')).toBe(421)
      expect(await at('other.example, hop.example', 'hop.example')).toBe(302)
      expect((await get(server, '/host', { host: 'hop.example', connection })).status).toBe(302)
    }
  })

  it('gets the links of the server at any host by default', async () => {
    const server = await start({})
    for (const connection of lanes)
      for (const host of [...own, ...unknown]) {
        const answer = await get(server, '/host', { host: encoded(host), connection })
        expect([host, answer.status, answer.location]).toEqual([host, 302, url])
      }
  })
})

/** Node's client sends Latin-1. */
function encoded(host: string): string {
  return Buffer.from(host).toString('latin1')
}
