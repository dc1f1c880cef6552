import { connect } from 'node:tls'
import { z } from 'zod'
import { isLoopback } from '../http/loopback.ts'
import { type DoctorDeps, type Finding, ok, okIf, problem, reasonOf, warning } from './finding.ts'

const timeoutMs = 10_000
const fewDays = 14
/** Address of a network for documentation (RFC 5737): no client has it. */
const forged = '203.0.113.77'

type Get = (path: string, headers: Record<string, string>) => Promise<Response>

const jwks = z.object({ keys: z.array(z.object({ kid: z.string() })) })
const seenOrigin = z.object({ address: z.string(), forwardedFor: z.array(z.string()) })

/** Whether people reach this server at PUBLIC_URL, with TLS, and whether it sees their addresses. */
export async function checkAddress({ config, keys }: DoctorDeps): Promise<Finding[]> {
  if (config.publicUrl === undefined)
    return [
      warning(
        'PUBLIC_URL is not set: links and emails name the address that the server listens on.',
      ),
    ]
  const { publicUrl } = config
  const { hostname, protocol, port } = new URL(publicUrl)
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(publicUrl + path, { headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  let shown: string[]
  try {
    const response = await get('/auth/v1/.well-known/jwks.json')
    shown = jwks.parse(await response.json()).keys.map(({ kid }) => kid)
  } catch (error) {
    return [
      problem(
        `${publicUrl} does not lead to Hoplet (${reasonOf(error)}). Look at the name in DNS, the proxy and the firewall.`,
      ),
    ]
  }
  const own = shown.includes(keys.signingKey.kid ?? '')
  const findings = [
    okIf(
      own,
      `${publicUrl} leads to this Hoplet.`,
      problem(`${publicUrl} leads to a Hoplet with another signing key.`),
    ),
  ]
  if (protocol === 'https:') {
    findings.push(await checkCertificate(hostname, Number(port || 443)))
    if (port === '') findings.push(await checkPlain(hostname))
  } else if (!isLoopback(hostname)) {
    findings.push(
      problem(
        'PUBLIC_URL is http: passwords travel in plain text. Put a proxy with TLS in front (docs/self-hosting.md).',
      ),
    )
  }
  if (own) {
    findings.push(...(await checkProxies(get, keys.serviceRoleKey, config.trustedProxies)))
    findings.push(await checkLongLines(get))
  }
  return findings
}

/** Whether TLS works there with a certificate that browsers accept for some time. */
export function checkCertificate(host: string, port: number): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, servername: host, timeout: timeoutMs }, () => {
      const days = Math.floor(
        (Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000,
      )
      socket.destroy()
      const text = `The certificate is valid for ${days} more days`
      resolve(okIf(days >= fewDays, `${text}.`, warning(`${text}. Is it renewed by itself?`)))
    })
    const fail = (why: string) => {
      socket.destroy()
      resolve(problem(`TLS does not work at ${host}:${port}: ${why}.`))
    }
    socket.on('error', (error) => fail(error.message))
    socket.on('timeout', () => fail('no answer'))
  })
}

/** People type addresses without a scheme. */
async function checkPlain(host: string): Promise<Finding> {
  const advice = `http://${host} should redirect to https.`
  try {
    const { status, headers } = await fetch(`http://${host}/`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    })
    const isRedirect = status >= 300 && status < 400
    const isSecure = headers.get('location')?.startsWith('https://') === true
    return okIf(
      isRedirect && isSecure,
      `http://${host} redirects to https.`,
      warning(`${advice} It answers ${status}.`),
    )
  } catch (error) {
    return warning(`${advice} It does not answer (${reasonOf(error)}).`)
  }
}

/** The token of a session has up to 11 kB. */
async function checkLongLines(get: Get): Promise<Finding> {
  const { status } = await get('/health/live', { 'X-Padding': 'x'.repeat(12_000) })
  return okIf(
    status === 200,
    'Header lines of 12 kB pass.',
    problem(
      `A header line of 12 kB is answered with ${status}: people with long tokens cannot use Hoplet. ` +
        'Let the proxy pass it (nginx: large_client_header_buffers 4 16k).',
    ),
  )
}

/** Sends a request with a forged address, and asks the server which address it saw. */
async function checkProxies(
  get: Get,
  serviceRoleKey: string,
  trustedProxies: number,
): Promise<Finding[]> {
  const response = await get('/functions/v1/request-origin', {
    Authorization: `Bearer ${serviceRoleKey}`,
    'X-Forwarded-For': forged,
  })
  if (!response.ok) return [problem(`The server answers ${response.status} to its own key.`)]
  const { address, forwardedFor } = seenOrigin.parse(await response.json())
  if (address === forged) {
    return [
      problem(
        `Clients can pretend any address, because TRUSTED_PROXIES=${trustedProxies} trusts more proxies than there are. ` +
          `Set TRUSTED_PROXIES=${Math.max(0, forwardedFor.length - 1)}.`,
      ),
    ]
  }
  // Each proxy appends the address that it saw to the client's header.
  const proxies = forwardedFor[0] === forged ? forwardedFor.length - 1 : forwardedFor.length
  if (proxies > trustedProxies) {
    return [
      problem(
        `${proxies} proxies are in front and TRUSTED_PROXIES is ${trustedProxies}, so all visitors share one address and its limits. ` +
          `Set TRUSTED_PROXIES=${proxies}.`,
      ),
    ]
  }
  return [ok(`The server sees the address of its clients (${proxies} proxies in front).`)]
}
