import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * The client's address, for rate limits and logs.
 *
 * Each trusted proxy appends the address it saw to X-Forwarded-For, so with N of them the N-th entry from the right is
 * the address that the outermost trusted proxy saw. With 0, the default, the header is ignored: any client can send it.
 * Some proxies append the port too.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const direct = withoutPrefix(socketAddress ?? 'unknown')
  if (trustedProxies === 0 || !forwardedFor) return direct
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const claimed = withoutPort(hops[Math.max(0, hops.length - trustedProxies)] ?? '')
  return isIP(claimed) ? claimed : direct
}

/** Like {@link clientAddress}, of a request. */
export function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const forwardedFor = headers['x-forwarded-for']?.toString()
  return clientAddress(socket.remoteAddress, forwardedFor, trustedProxies)
}

/** An IPv4 address as an IPv6 socket names it. */
function withoutPrefix(address: string): string {
  return address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address
}

/** `203.0.113.5:4711` and `[2001:db8::1]:4711` without port and brackets. */
function withoutPort(hop: string): string {
  if (isIP(hop)) return hop
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? []
  return v6 ?? v4 ?? hop
}

/** One client for rate limits: the address, or the /64 network of an IPv6 one (one person has all of it). */
export function limitKey(address: string): string {
  return isIP(address) === 6 ? prefixOf(address, 4) : address
}

/** One neighborhood for rate limits: the /24 of an IPv4 address, the /48 of an IPv6 one (one site has all of it). */
export function wideLimitKey(address: string): string {
  const version = isIP(address)
  if (version === 6) return prefixOf(address, 3)
  return version === 4 ? address.slice(0, address.lastIndexOf('.')) : address
}

/** The first `groups` groups of 16 bits of an IPv6 address, written out. */
function prefixOf(address: string, groups: number): string {
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : 8 - left.length - right.length
  const all = [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right]
  return all.slice(0, groups).join(':')
}

/** Origin of a request in logs: the neighborhood, because an address is a person's. */
export function networkOf(address: string | undefined): string | undefined {
  const plain = withoutPrefix(address ?? '')
  const version = isIP(plain)
  if (version === 0) return undefined
  return version === 4 ? `${wideLimitKey(plain)}.0/24` : `${wideLimitKey(plain)}::/48`
}
