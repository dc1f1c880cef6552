import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, get } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { freePort } from '../free-port.ts'
import { browser } from '../visits/visit.ts'

interface CaddyOptions {
  /** Path of the program. */
  program: string
  /** The public address of Hoplet, and its admin port. */
  node: string
  adminNode: string
  /** The host of the named block. */
  host: string
}

/** A request over TLS: SNI, `Host` and target. */
interface TlsRequest {
  sni: string
  host?: string
  target?: string
}

/** Caddy with deploy/Caddyfile.domains, and certificates of its internal authority instead of a public one. */
export async function startCaddy({ program, node, adminNode, host }: CaddyOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-caddy-'))
  const [httpPort, port, askPort] = [await freePort(), await freePort(), await freePort()]
  const file = await readFile(new URL('../../deploy/Caddyfile.domains', import.meta.url), 'utf8')
  const internal = [
    'admin off',
    `http_port ${httpPort}`,
    `https_port ${port}`,
    'local_certs',
    'skip_install_trust',
  ]
  const config = join(folder, 'Caddyfile')
  await writeFile(
    config,
    file.replace('\n{\n', `\n{\n${internal.map((line) => `\t${line}\n`).join('')}`),
  )
  const child = spawn(program, ['run', '--adapter', 'caddyfile', '--config', config], {
    env: {
      ...process.env,
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      HOPLET_HOST: host,
      HOPLET_NODES: new URL(node).host,
      HOPLET_ADMIN_NODES: new URL(adminNode).host,
      HOPLET_ASK_PORT: String(askPort),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-100_000)))
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const ask = (request: TlsRequest) => requestOverTls(port, request)
  for (let wait = 200; ; wait--) {
    if (child.exitCode !== null || wait === 0) throw new Error(`Caddy did not start: ${log}`)
    if (typeof (await ask({ sni: host })) !== 'string') break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    get: ask,
    log: () => log,
    async stop(): Promise<void> {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface TlsAnswer {
  status: number
  location: string | undefined
  body: string
  /** Names in the certificate. */
  names: string
}

/** The answer, or the reason why there is no TLS. */
function requestOverTls(
  port: number,
  { sni, host = sni, target = '/' }: TlsRequest,
): Promise<TlsAnswer | string> {
  return new Promise((resolve) => {
    const options = {
      port,
      host: '127.0.0.1',
      servername: sni,
      path: target,
      headers: { host, 'user-agent': browser },
      // The authority is not in the store of this machine.
      rejectUnauthorized: false,
      agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
      timeout: 30_000,
    }
    const sent = get(options, (answer) => {
      const { statusCode: status = 0, headers, socket } = answer
      const names = (socket as TLSSocket).getPeerCertificate().subjectaltname ?? ''
      let body = ''
      answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
      answer.on('error', (error) => resolve(error.message))
      answer.on('end', () => resolve({ status, location: headers.location, body, names }))
    })
    sent.on('timeout', () => sent.destroy(new Error('no answer')))
    sent.on('error', (error) => resolve(error.message))
  })
}
