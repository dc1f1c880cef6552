import { BlockList, isIP } from 'node:net'
import type { DnsAnswers } from './read-dns.ts'

/** Networks of Cloudflare's proxy (https://www.cloudflare.com/ips/). */
const cloudflare = new BlockList()
const networks =
  '103.21.244.0/22 103.22.200.0/22 103.31.4.0/22 104.16.0.0/13 104.24.0.0/14 108.162.192.0/18 131.0.72.0/22 141.101.64.0/18 ' +
  '162.158.0.0/15 172.64.0.0/13 173.245.48.0/20 188.114.96.0/20 190.93.240.0/20 197.234.240.0/22 198.41.128.0/17 ' +
  '2400:cb00::/32 2405:8100::/32 2405:b500::/32 2606:4700::/32 2803:f800::/32 2a06:98c0::/29 2c0f:f248::/32'
for (const network of networks.split(' ')) {
  const [address = '', bits] = network.split('/')
  cloudflare.addSubnet(address, Number(bits), familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

export function isCloudflare(address: string): boolean {
  return isIP(address) !== 0 && cloudflare.check(address, familyOf(address))
}

/** Where domains have to lead. */
export interface DomainTargets {
  /** Hosts of this server. */
  hosts: readonly string[]
  /** DOMAIN_ADDRESSES. */
  addresses: readonly string[]
}

/** The reading of an answer: the right record is there, is missing, or name servers did not say. */
export type Reading = 'right' | 'missing' | 'unknown'

/** Whether one of the TXT records is the proof of a token. */
export function readProof({ texts }: Pick<DnsAnswers, 'texts'>, token: string): Reading {
  if (texts.found.some((text) => text.trim() === `hoplet=${token}`)) return 'right'
  return texts.isSlow ? 'unknown' : 'missing'
}

/**
 * Whether the records of a host lead to this server: a chain of CNAME records to one of its hosts, or addresses all of which are its own.
 * One foreign address is enough to lose some of the visitors.
 */
export function readDirection(
  { chain, addresses, target }: Omit<DnsAnswers, 'texts'>,
  { hosts, addresses: own }: DomainTargets,
): Reading {
  if (chain.isLoop) return 'missing'
  if (chain.found.some((name) => hosts.includes(name))) return 'right'
  const ours = new Set([...own, ...target.found])
  if (addresses.isSlow || chain.isSlow) return 'unknown'
  if (addresses.found.length > 0 && addresses.found.every((address) => ours.has(address)))
    return 'right'
  // The own host may be the one that could not be looked up.
  return target.isSlow && own.length === 0 ? 'unknown' : 'missing'
}

const usualIssuer = 'letsencrypt.org'

/** Whether CAA records keep the certificate authority from making a certificate. */
export function excludesIssuer(issuers: readonly string[]): boolean {
  return (
    issuers.length > 0 &&
    !issuers.some((issuer) => issuer.split(';')[0]?.trim().toLowerCase() === usualIssuer)
  )
}
