import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { isLoopback } from './loopback.ts'
import { createServedDomains } from './served-domains.ts'
import { type HostPlace, linksSiteOf, type PublicSite } from './public-site.ts'

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

/** Hosts of requests that the log names, a process. */
const maxNamed = 20

export type Hosts = ReturnType<typeof createHosts>

export interface HostsDeps {
  config: Pick<Config, 'unknownHosts' | 'trustedProxies'> & PublicSite & { linksUrl: string }
  log: Logger
  /** Told of each unknown host once; default: the log is. */
  onUnknownHost?: ((host: string) => void) | undefined
}

/**
 * The hosts that this server answers for: those of `publicUrl` and `linksUrl` with and without `www.`, loopback addresses, which only
 * this machine reaches, and the domains of accounts. `unknownHosts` decides about others.
 */
export function createHosts({ config, log, onUnknownHost }: HostsDeps) {
  const linksSite = linksSiteOf(config)
  const ownPlace: HostPlace = { prefix: '', site: config, links: linksSite }
  /** With LINKS_URL it has no app, and its root leads there. */
  const linksPlace: HostPlace =
    linksSite === config
      ? ownPlace
      : { prefix: '', site: linksSite, links: linksSite, root: `${config.publicUrl}/` }
  const linksHost = withoutWww(new URL(config.linksUrl).hostname)
  const domains = createServedDomains(config)
  let own = { publicUrl: '', host: '' }
  /** The address may be known only when the server listens. */
  const ownHost = (): string => {
    const { publicUrl } = config
    if (own.publicUrl !== publicUrl)
      own = { publicUrl, host: withoutWww(new URL(publicUrl).hostname) }
    return own.host
  }
  /** A stranger can invent any number of them. */
  const unknown = new Set<string>()
  const recordUnknown = (host: string): void => {
    if (unknown.has(host) || unknown.size === maxNamed) return
    unknown.add(host)
    if (onUnknownHost) onUnknownHost(host)
    else log.warn({ host }, `a request for a host that is not that of PUBLIC_URL (${ownHost()})`)
  }
  const ownPlaceAt = (host: string): HostPlace | undefined => {
    const plain = withoutWww(host)
    if (plain === ownHost()) return ownPlace
    return plain === linksHost ? linksPlace : undefined
  }
  const servedPlaceAt = (host: string): HostPlace | undefined =>
    ownPlaceAt(host) ?? domains.placeAt(host) ?? (isLoopback(host) ? ownPlace : undefined)
  const placeAt = (header: string): HostPlace | undefined => {
    const host = hostIn(header)
    const known = host === undefined ? undefined : servedPlaceAt(host)
    if (known) return known
    if (host !== undefined && domains.apexOf(host)) return undefined
    if (host !== undefined) recordUnknown(host)
    return config.unknownHosts === 'serve' ? ownPlace : undefined
  }
  /** Requests for other places than the own host. */
  const places = new WeakMap<object, HostPlace>()

  return {
    /** @param header a `Host` header, as it was sent; undefined: nothing is served there */
    placeAt,
    /** The place of a host that somebody names, the `www.` of a domain included. */
    knownPlaceAt(text: string): HostPlace | undefined {
      const host = hostIn(text)
      return host === undefined ? undefined : (servedPlaceAt(host) ?? domains.apexOf(host))
    },
    /** Finds the place of a request before anything else reads it, and remembers it. */
    admit(request: IncomingMessage): HostPlace | undefined {
      const place = placeAt(requestedHost(request, config.trustedProxies))
      if (place && place !== ownPlace) places.set(request, place)
      return place
    },
    /** The apex domain of a request for its `www.`, which was not admitted. */
    apexOf(request: IncomingMessage): HostPlace | undefined {
      const host = hostIn(requestedHost(request, config.trustedProxies))
      return host === undefined ? undefined : domains.apexOf(host)
    },
    /** The place of an admitted request. */
    placeOf: (request: object): HostPlace => places.get(request) ?? ownPlace,
    /** The place with this prefix; undefined for a domain that is not served. */
    placeOfPrefix: (prefix: string): HostPlace | undefined =>
      prefix === '' ? ownPlace : domains.placeOfPrefix(prefix),
    /** The domains of accounts. */
    domains,
    /** Changes with the domains: an answer of `placeAt` holds as long. */
    generation: domains.generation,
    /** Whether a host may have a certificate. @param host in lower case, without port and trailing dot */
    mayHaveCertificate: (host: string): boolean =>
      ownPlaceAt(host) !== undefined || domains.allows(host),
    /** Unknown hosts that were asked for, the first ones. */
    unknown: (): readonly string[] => [...unknown],
    /** An unknown host that another process of this server was asked for. */
    recordUnknown,
  }
}

function withoutWww(host: string): string {
  return host.startsWith('www.') ? host.slice(4) : host
}
