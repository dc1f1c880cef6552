import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { ProviderError } from './errors.ts'

interface FetchOptions {
  /** The configured base URL: images are fetched from its origin and nowhere else. */
  provider: string
  signal: AbortSignal
  lookup?: (host: string, options: { all: true }, done: LookupDone) => void
}

type LookupDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

const mostBytes = 5 * 1024 * 1024

/**
 * Fetches an image that a provider named by its address. Only from the provider's own origin, without redirects, and
 * from a private address only where the provider is configured as one; the address that was checked is the one
 * connected to.
 *
 * @throws {ProviderError}
 */
export async function fetchProviderImage(
  address: string,
  options: FetchOptions,
): Promise<Uint8Array> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const provider = new URL(options.provider)
  // Compared as the URL parser writes it: 0x7f.1, 2130706433 and their kind have become what they mean.
  if (!url || url.origin !== provider.origin || url.username !== '' || url.password !== '') {
    throw new ProviderError('unreadable', "an image address that is not the provider's")
  }
  const lookup = isNamedPrivately(provider) ? undefined : publicOnly(options.lookup ?? systemLookup)
  return await download(url, options.signal, lookup)
}

/** True where the operator wrote a private address, or a name that no public DNS knows. */
function isNamedPrivately({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host)) return isPrivate(host)
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa|test)$/.test(host)
}

/** A look-up that fails when any of the addresses is private: a name may change its mind between two questions. */
function publicOnly(lookup: NonNullable<FetchOptions['lookup']>): LookupFunction {
  return (host, { all }, done) => {
    lookup(host, { all: true }, (error, addresses) => {
      const first = addresses?.[0]
      if (error || !first) return done(error ?? new Error('no address'), '')
      if (addresses.some(({ address }) => isPrivate(address))) {
        return done(new Error('a private address'), '')
      }
      if (all) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}

const privateNetworks = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  privateNetworks.addSubnet(network, bits)
}
// Everything that is not global unicast, and the ranges in it that carry IPv4 addresses along.
for (const [network, bits] of [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 32],
  ['2002::', 16],
  ['2001:db8::', 32],
] as const) {
  privateNetworks.addSubnet(network, bits, 'ipv6')
}

function isPrivate(address: string): boolean {
  return privateNetworks.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

function download(url: URL, signal: AbortSignal, lookup?: LookupFunction): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const fail = (what: string) => reject(new ProviderError('failed', what))
    const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      url,
      { signal, agent: false, headers: { accept: 'image/*' }, ...(lookup && { lookup }) },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        const refuse = (what: string) => {
          fail(what)
          request.destroy()
        }
        if (response.statusCode !== 200) return refuse(`image status ${response.statusCode}`)
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > mostBytes) refuse('image too large')
          else chunks.push(chunk)
        })
        response.on('end', () => resolve(Buffer.concat(chunks)))
        response.on('error', () => fail('image broken off'))
      },
    )
    request.on('error', () => fail('no connection for the image'))
    request.end()
  })
}
