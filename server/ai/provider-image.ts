import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { AiProviderError } from './ai-errors.ts'

interface ProviderImageOptions {
  /** The configured base URL: images are fetched from its origin and nowhere else. */
  provider: string
  signal: AbortSignal
  lookup?: (host: string, options: { all: true }, done: LookupDone) => void
}

type LookupDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void

/** The largest image that a provider may send. */
export const maxImageBytes = 5 * 1024 * 1024

/**
 * Fetches an image that a provider named by its address. Only from the provider's own origin, without redirects, and
 * from a private address only where the provider is configured as one; the address that was checked is the one
 * connected to.
 *
 * @throws {AiProviderError}
 */
export async function fetchProviderImage(
  address: string,
  options: ProviderImageOptions,
): Promise<Uint8Array> {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const provider = new URL(options.provider)
  // The URL parser has normalized the host: 0x7f.1 and 2130706433 are written 127.0.0.1 here.
  if (!url || url.origin !== provider.origin || url.username !== '' || url.password !== '') {
    throw new AiProviderError('unreadable', "an image address that is not the provider's")
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

/** A lookup that fails when any address is private. The connection uses its result, so DNS cannot answer differently later. */
function publicOnly(lookup: NonNullable<ProviderImageOptions['lookup']>): LookupFunction {
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

// In IPv6 everything outside global unicast, and the ranges inside it that embed IPv4 addresses.
const privateRanges =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16 198.18.0.0/15 ' +
  '224.0.0.0/3 ::/3 4000::/2 8000::/1 2001::/32 2002::/16 2001:db8::/32'
const privateNetworks = new BlockList()
for (const range of privateRanges.split(' ')) {
  const [network = '', bits] = range.split('/')
  privateNetworks.addSubnet(network, Number(bits), familyOf(network))
}

function isPrivate(address: string): boolean {
  return privateNetworks.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

async function download(
  url: URL,
  signal: AbortSignal,
  lookup?: LookupFunction,
): Promise<Uint8Array> {
  const get = url.protocol === 'https:' ? httpsGet : httpGet
  const headers = { accept: 'image/*' }
  const request = get(url, { signal, agent: false, headers, ...(lookup && { lookup }) })
  // An error after the response also ends the response, which is read below.
  request.on('error', () => {})
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    if (response.statusCode !== 200) throw failed(`image status ${response.statusCode}`)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxImageBytes) throw failed('image too large')
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw error instanceof AiProviderError ? error : failed('no connection for the image')
  } finally {
    request.destroy()
  }
}

function failed(what: string): AiProviderError {
  return new AiProviderError('failed', what)
}
