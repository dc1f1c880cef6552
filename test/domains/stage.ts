import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Config, createConfig } from '#server/config.ts'
import type { Overrides } from '#server/context.ts'
import { parseVariables } from '#server/env.ts'
import { getFromEndpoint } from '#server/webhooks/post.ts'
import { startTestServer, type TestServer } from '#test/server.ts'
import { startDnsServer } from '#test/stand-ins/dns.ts'
import { send } from '../tables/accounts.ts'
import { visit } from '../visits/visit.ts'

/** A row of `api.domains`, as far as tests look at it. */
export interface DomainAnswer {
  id: number
  host: string
  is_verified: boolean
  has_certificate: boolean
  certificate_ends_at: string | null
  is_probed: boolean
  problem: string | null
  records: { type: string; name: string; value: string; found: boolean }[]
  is_default: boolean
  root_url: string | null
  link_count: number
  checked_at: string | null
}

/** The https server in front of Hoplet. */
interface Site {
  asked: string[]
  /** In the place of Hoplet. */
  answer: ((response: ServerResponse) => void) | undefined
}

export type DomainStage = Awaited<ReturnType<typeof startDomainStage>>

/**
 * A server with name servers of the test, and an https server with a self-signed certificate for *.brand.example in front of it, at
 * which all hosts are. Its address is https://hop.example, with the port of the latter.
 */
export async function startDomainStage(
  domains: Partial<Config['domains']> = {},
  overrides: Overrides = {},
  allowsPrivate = true,
) {
  const dns = await startDnsServer()
  const { key, cert } = makeCertificate('*.brand.example')
  const site: Site = { asked: [], answer: undefined }
  const secure = createServer({ key, cert }, ({ url = '', headers: { host = '' } }, response) => {
    site.asked.push(`${host}${url}`)
    if (site.answer) return site.answer(response)
    void visit(server.url, url, { headers: { host } }).then(({ status, body }) =>
      response.writeHead(status).end(body),
    )
  })
  secure.listen(0, '127.0.0.1')
  await once(secure, 'listening')
  const { port } = secure.address() as AddressInfo
  const server = await startTestServer(
    {
      publicUrl: `https://hop.example:${port}`,
      webhooks: { ...createConfig(parseVariables({})).webhooks, allowsPrivate },
      domains: {
        dns: { servers: [dns.address], timeoutMs: 1_500 },
        addresses: [],
        probes: true,
        probeTimeoutMs: 5_000,
        checkEveryMs: 86_400_000,
        ...domains,
      },
    },
    { getPublic: (url, options) => getFromEndpoint(url, { ca: cert, ...options }), ...overrides },
  )
  dns.set('hop.example', { A: ['127.0.0.1'] })
  return {
    dns,
    site,
    server,
    async close() {
      await server.close()
      dns.close()
      secure.closeAllConnections()
      secure.close()
    },
  }
}

interface Person {
  headers: Record<string, string>
}

/** A request to the table door that is answered with the rows. */
export const ask = (
  server: TestServer,
  person: Person,
  method: string,
  path: string,
  body?: unknown,
): ReturnType<typeof send> =>
  send(server, person, method, path, body, { prefer: 'return=representation' })

/** Adds a domain, and returns its row. */
export async function addDomain(
  server: TestServer,
  person: Person,
  host: string,
): Promise<DomainAnswer> {
  const { status, body } = await ask(server, person, 'POST', 'domains', { host })
  const [row] = status === 201 ? (body as DomainAnswer[]) : []
  if (!row) throw new Error(`${host}: ${status} ${JSON.stringify(body)}`)
  return row
}

/** Checks a domain now, whenever it was last asked for. */
export async function checkNow(
  { server }: Pick<DomainStage, 'server'>,
  person: Person,
  id: number,
): Promise<DomainAnswer> {
  await server.sql('update app.domains set asked_at = null where id = $1', [id])
  const { status, body } = await ask(server, person, 'POST', 'rpc/check_domain', { _id: id })
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body as DomainAnswer
}

/** Creates the records of a domain at the name servers of the test. */
export function publish({ dns }: Pick<DomainStage, 'dns'>, { records }: DomainAnswer): void {
  for (const { type, name, value } of records) dns.set(name, { [type]: [value] })
}

function makeCertificate(name: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(inject('scratch'), 'certificates-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'crt')]
  const names = `subjectAltName=DNS:${name}`
  const wanted = ['-subj', `/CN=${name}`, '-addext', names, '-days', '30']
  const files = ['-keyout', key, '-out', cert]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...wanted, ...files], {
    stdio: 'ignore',
  })
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
}
