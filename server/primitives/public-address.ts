import type { LookupAddress } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** As dns.lookup() with `all`. */
export type LookUpAll = (
  host: string,
  options: { all: true },
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** The host, or an address of it, is not one that everyone on the internet reaches. */
export class PrivateAddressError extends Error {
  name = 'PrivateAddressError'
}

// In IPv6 everything outside global unicast (mapped and translated IPv4 among it), and the ranges inside it that embed IPv4
// addresses or lead to no host. In IPv4 also the documentation networks, the 6to4 relays and the metadata server of Azure.
const privateRanges =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 ' +
  '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 ' +
  '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20'
// One list per family: a BlockList compares 8.8.8.8 as ::ffff:8.8.8.8 too, which is inside ::/3.
const privateNetworks = { ipv4: new BlockList(), ipv6: new BlockList() }
for (const range of privateRanges.split(' ')) {
  const [network = '', bits] = range.split('/')
  const family = familyOf(network)
  privateNetworks[family].addSubnet(network, Number(bits), family)
}

/** @param address IPv4 or IPv6, without brackets */
export function isPrivateAddress(address: string): boolean {
  const family = familyOf(address)
  return isIP(address) === 0 || privateNetworks[family].check(address, family)
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

/**
 * A `lookup` for connections that fails when any address of the host is private. The connection uses its result, so DNS
 * cannot answer differently later. A host that is an address itself is not looked up: check it with isPrivateAddress().
 */
export function publicOnly(lookUp: LookUpAll): LookupFunction {
  return lookUpFor(lookUp, isPrivateAddress)
}

/** Like {@link publicOnly}, with any address. */
export function anyAddress(lookUp: LookUpAll): LookupFunction {
  return lookUpFor(lookUp, () => false)
}

function lookUpFor(lookUp: LookUpAll, isRefused: (address: string) => boolean): LookupFunction {
  return (host, { all }, done) => {
    lookUp(host, { all: true }, (error, addresses) => {
      const first = addresses?.[0]
      if (error || !first) return done(error ?? new Error('no address'), '')
      if (addresses.some(({ address }) => isRefused(address)))
        return done(new PrivateAddressError(`${host} has a private address`), '')
      if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}
