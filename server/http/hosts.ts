import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { isLoopback } from './loopback.ts'
import type { HostPlace, PublicSite } from './public-site.ts'

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
function requestedHost(
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

/** A domain of an account. */
export interface ServedDomain {
  id: number
  host: string
}

/** Hosts of requests that the log names, a process. */
const maxNamed = 20

export type Hosts = ReturnType<typeof createHosts>

export interface HostsDeps {
  config: Pick<Config, 'unknownHosts' | 'trustedProxies'> & PublicSite
  log: Logger
}

/**
 * The hosts that this server answers for: that of `publicUrl` with and without `www.`, loopback addresses, which only this
 * machine reaches, and the domains of accounts. `unknownHosts` decides about others.
 */
export function createHosts({ config, log }: HostsDeps) {
  const ownPlace: HostPlace = { prefix: '', site: config }
  let byHost: ReadonlyMap<string, HostPlace> = new Map()
  let byPrefix: ReadonlyMap<string, HostPlace> = new Map()
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
  const knownPlaceAt = (header: string): HostPlace | undefined => {
    const host = hostIn(header)
    if (host === undefined) return undefined
    return isLoopback(host) || withoutWww(host) === ownHost() ? ownPlace : byHost.get(host)
  }
  const placeAt = (header: string): HostPlace | undefined => {
    const known = knownPlaceAt(header)
    if (known) return known
    const host = hostIn(header)
    if (host !== undefined) report(host)
    return config.unknownHosts === 'serve' ? ownPlace : undefined
  }
  /** Requests for domains; all others are for the own host. */
  const places = new WeakMap<object, HostPlace>()

  return {
    /** @param header a `Host` header, as it was sent; undefined: nothing is served there */
    placeAt,
    /** The place of a host that somebody names. */
    knownPlaceAt,
    /** Finds the place of a request before anything else reads it, and remembers it. */
    admit(request: IncomingMessage): HostPlace | undefined {
      const place = placeAt(requestedHost(request, config.trustedProxies))
      if (place && place !== ownPlace) places.set(request, place)
      return place
    },
    /** The place of an admitted request. */
    placeOf: (request: object): HostPlace => places.get(request) ?? ownPlace,
    /** The place with this prefix; undefined for a domain that is not served. */
    placeOfPrefix: (prefix: string): HostPlace | undefined =>
      prefix === '' ? ownPlace : byPrefix.get(prefix),
    /** Replaces the domains that are served. */
    serve(domains: readonly ServedDomain[]): void {
      const { protocol, port } = new URL(config.publicUrl)
      const found = domains.map(({ id, host }): [string, HostPlace] => {
        const publicUrl = `${protocol}//${host}${port === '' ? '' : `:${port}`}`
        // The subdomains of a customer's host are not ours.
        const site = { publicUrl, hstsSubdomains: false, appUrl: config.publicUrl }
        return [host, { prefix: `${id}/`, site }]
      })
      byHost = new Map(found)
      byPrefix = new Map(found.map(([, place]) => [place.prefix, place]))
    },
    /** Changes with the domains: an answer of `placeAt` holds as long. */
    generation: (): object => byHost,
  }
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}
