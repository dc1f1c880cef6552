import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { Agent as HttpAgent, createServer, type RequestListener } from 'node:http'
import { Agent as HttpsAgent, createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type TcpNetConnectOpts } from 'node:net'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { inject } from 'vitest'
import type { LookUpAll } from '#server/primitives/public-address.ts'
import { getFromEndpoint } from '#server/webhooks/post.ts'

/** One request that came to a destination. */
interface Asked {
  at: number
  method: string
  /** First part of the host. */
  name: string
  url: string
  agent: string | undefined
}

/**
 * Destinations below example.com on servers of this machine, one by each first part of a host. Names that begin with "tls-" speak
 * TLS with the certificate of that name, others HTTP even for https. Those that begin with "private" have a private address,
 * "nowhere" has none, and nothing listens at "refused".
 */
export async function startDestinations(pages: Readonly<Record<string, RequestListener>>) {
  const asked: Asked[] = []
  const answer: RequestListener = (request, response) => {
    const name = (request.headers.host ?? '').split('.')[0] ?? ''
    const { method = '', url = '', headers } = request
    asked.push({ at: performance.now(), method, name, url, agent: headers['user-agent'] })
    const page = pages[name]
    if (page) page(request, response)
    else response.writeHead(200).end('Hello')
  }
  const plain = createServer(answer)
  const folder = mkdtempSync(join(inject('scratch'), 'certificates-'))
  const good = makeCertificate(folder, 'tls-good', 1)
  const certificates = {
    'tls-good': good,
    'tls-expired': makeCertificate(folder, 'tls-expired', -1),
    'tls-own': makeCertificate(folder, 'tls-own', 1),
    'tls-other': good,
  }
  const secure = Object.entries(certificates).map(
    ([name, { key, cert }]) => [name, createTlsServer({ key, cert }, answer)] as const,
  )
  const servers: readonly Server[] = [plain, ...secure.map(([, server]) => server)]
  const ports = new Map<string, number>()
  const listen = (server: Server) =>
    new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    )
  const plainPort = await listen(plain)
  for (const [name, server] of secure) ports.set(name, await listen(server))
  // A port that was free a moment ago.
  const closed = createServer()
  ports.set('refused', await listen(closed))
  closed.close()
  // The authorities of the machine that checks: all but that of tls-own.
  const ca = Object.entries(certificates)
    .filter(([name]) => name !== 'tls-own')
    .map(([, { cert }]) => cert)

  const open = (
    { host: name = '', lookup }: TcpNetConnectOpts,
    done: (error: Error | null, socket?: Duplex) => void,
  ): undefined => {
    lookup?.(name, { all: true }, (error) => {
      if (error) return done(error)
      const first = name.split('.')[0] ?? ''
      const at = { port: ports.get(first) ?? plainPort, host: '127.0.0.1' }
      if (!first.startsWith('tls-')) return done(null, asPublic(connect(at)))
      const socket = connectTls({ ...at, servername: name, ca })
      socket.once('error', done)
      socket.once('secureConnect', () => done(null, asPublic(socket)))
    })
  }
  class HttpNames extends HttpAgent {
    createConnection = open
  }
  class HttpsNames extends HttpsAgent {
    createConnection = open
  }
  const lookUp: LookUpAll = (name, _options, done) => {
    if (name.startsWith('nowhere'))
      return done(Object.assign(new Error('no name'), { code: 'ENOTFOUND' }), [])
    const address = name.startsWith('private') ? '10.0.0.1' : '93.184.215.14'
    done(null, [{ address, family: 4 }])
  }
  const getPublic: typeof getFromEndpoint = (address, options) =>
    getFromEndpoint(address, {
      ...options,
      agent: (address.startsWith('https:') ? new HttpsNames() : new HttpNames()) as HttpsAgent,
      lookUp,
    })
  return {
    asked,
    getPublic,
    close() {
      for (const server of servers) server.close()
      plain.closeAllConnections()
    },
  }
}

function asPublic<Socket extends Duplex>(socket: Socket): Socket {
  return Object.defineProperty(socket, 'remoteAddress', { value: '93.184.215.14' })
}

/** @param days until it ends; below zero it has ended */
function makeCertificate(folder: string, name: string, days: number) {
  const at = (end: string) => join(folder, `${name}${days}.${end}`)
  const make = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
  const subject = ['-subj', `/CN=${name}.example.com`]
  const names = ['-addext', `subjectAltName=DNS:${name}.example.com`]
  make(
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    at('key'),
    '-out',
    at('csr'),
    ...subject,
    ...names,
  )
  const signed = ['-signkey', at('key'), '-copy_extensions', 'copy', '-out', at('crt')]
  make('x509', '-req', '-in', at('csr'), '-days', String(days), ...signed)
  return { key: readFileSync(at('key')), cert: readFileSync(at('crt')) }
}
