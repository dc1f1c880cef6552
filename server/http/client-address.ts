import { isIP } from 'node:net'

/**
 * The address of the person behind a request, for rate limits and logs.
 *
 * Each trusted proxy appends the address it saw to X-Forwarded-For, so with N of them the N-th entry from the right is
 * the first that none of our own wrote by hearsay. With 0, the default, the header is ignored: anybody can send it.
 */
export function clientAddress(
  socketAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: number,
): string {
  const direct = (socketAddress ?? 'unknown').replace(/^::ffff:/, '')
  if (trustedProxies === 0 || !forwardedFor) return direct
  const hops = forwardedFor.split(',').map((hop) => hop.trim())
  const claimed = hops[Math.max(0, hops.length - trustedProxies)] ?? ''
  return isIP(claimed) ? claimed : direct
}

/** What a limit counts as one client: the address, or the /64 network of an IPv6 one (one person has all of it). */
export function limitKey(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const missing = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(Math.max(0, missing)).fill('0'), ...right].slice(0, 4).join(':')
}
