import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { isLoopback } from './loopback.ts'

/** A name of DNS with its trailing dot, a colon and a port. */
const maxLength = 260
const readableHost = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)\.?(?::[0-9]{1,5})?$/i

/** The host of a `Host` header as hosts are compared: in lower case, without port and trailing dot. Undefined for a text that is no host. */
export function hostIn(header: string): string | undefined {
  if (header.length > maxLength) return undefined
  return readableHost.exec(header.trim())?.[1]?.toLowerCase()
}

/**
 * The header that names the host which a client asked for. `X-Forwarded-Host` counts only behind trusted proxies; each may append
 * the one that it saw, as with `X-Forwarded-For`.
 */
export function hostHeader(host: string, forwarded: string, trustedProxies: number): string {
  if (trustedProxies === 0 || forwarded === '') return host
  const hops = forwarded.split(',')
  return hops[Math.max(0, hops.length - trustedProxies)] ?? ''
}

/** Like {@link hostHeader}, of a request. The host in an absolute target comes before `Host` (RFC 9112, section 3.2.2). */
export function requestedHost(
  { url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>,
  trustedProxies: number,
): string {
  const [, authority] = /^https?:\/\/([^/?#]+)/i.exec(url) ?? []
  let host = ''
  const forwarded: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    // The length alone rules out most headers.
    if (name.length === 4 && name.toLowerCase() === 'host') host = rawHeaders[i + 1] ?? ''
    if (name.length === 16 && name.toLowerCase() === 'x-forwarded-host')
      forwarded.push(rawHeaders[i + 1] ?? '')
  }
  return hostHeader(authority ?? host, forwarded.join(','), trustedProxies)
}

/** Hosts of requests that the log names, a process. */
const maxNamed = 20

export type Hosts = ReturnType<typeof createHosts>

/**
 * The hosts that this server answers for: that of `publicUrl` with and without `www.`, and loopback addresses, which only this
 * machine reaches. `unknownHosts` decides about others.
 */
export function createHosts(
  config: Pick<Config, 'unknownHosts'> & { readonly publicUrl: string },
  log: Logger,
) {
  let own = { publicUrl: '', host: '' }
  /** The address may be known only when the server listens. */
  const ownHost = (): string => {
    const { publicUrl } = config
    if (own.publicUrl !== publicUrl)
      own = { publicUrl, host: withoutWww(new URL(publicUrl).hostname) }
    return own.host
  }
  const named = new Set<string>()
  /** Names each unknown host once. A stranger can invent any number of them. */
  const report = (host: string): void => {
    if (named.has(host) || named.size === maxNamed) return
    named.add(host)
    log.warn({ host }, `a request for a host that is not that of PUBLIC_URL (${ownHost()})`)
  }
  return {
    /** @param header a `Host` header, as it was sent */
    serves(header: string): boolean {
      const host = hostIn(header)
      if (host !== undefined) {
        if (isLoopback(host) || withoutWww(host) === ownHost()) return true
        report(host)
      }
      return config.unknownHosts === 'serve'
    },
  }
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}
