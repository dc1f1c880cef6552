import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { canonicalAddress, parseAddress } from '#domain/visits/reading/addresses.ts'

/**
 * The client's address in its one spelling ({@link canonicalAddress}), for limits, visitors, rules and logs.
 *
 * Each trusted proxy appends the address it saw to X-Forwarded-For, so with N of them the N-th entry from the right is
 * the address that the outermost trusted proxy saw. With 0, the default, the header is ignored: any client can send it.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  if (trustedProxies > 0 && forwardedFor) {
    const hops = forwardedFor.split(',')
    const claimed = readAddress(hops[Math.max(0, hops.length - trustedProxies)] ?? '')
    if (claimed !== '') return claimed
  }
  return readAddress(socketAddress ?? '') || 'unknown'
}

/** Like {@link clientAddress}, of a request. */
export function addressOf({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const forwardedFor = headers['x-forwarded-for']?.toString()
  return clientAddress(socket.remoteAddress, forwardedFor, trustedProxies)
}

// Each request asks for the spelling of an address that came a moment ago.
const addresses = new LRUCache<string, string>({
  max: 10_000,
  memoMethod: (text) => canonicalAddress(text) ?? '',
})

/** Empty for a text that is no address, longer than any too. */
const readAddress = (text: string): string => (text.length > 64 ? '' : addresses.memo(text))

/** One client for rate limits: the address, or the /64 network of an IPv6 one (one person has all of it). */
export function limitKey(address: string): string {
  const known = readAddress(address)
  return known.includes(':') ? prefixOf(known, 4) : known || address
}

/** One neighborhood for rate limits: the /24 of an IPv4 address, the /48 of an IPv6 one (one site has all of it). */
export function wideLimitKey(address: string): string {
  const known = readAddress(address)
  if (known === '') return address
  return known.includes(':') ? prefixOf(known, 3) : known.slice(0, known.lastIndexOf('.'))
}

/** The first `groups` groups of 16 bits of an IPv6 address, written out. */
function prefixOf(address: string, groups: number): string {
  const all = parseAddress(address) ?? []
  return all
    .slice(0, groups)
    .map((group) => group.toString(16))
    .join(':')
}

/** Origin of a request in logs: the neighborhood, because an address is a person's. */
export function networkOf(address: string | undefined): string | undefined {
  const known = readAddress(address ?? '')
  if (known === '') return undefined
  return `${wideLimitKey(known)}${known.includes(':') ? '::/48' : '.0/24'}`
}
