import { lookup as systemLookup } from 'node:dns'
import { once } from 'node:events'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { get as httpsGet } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress, type LookUpAll, publicOnly } from '../primitives/public-address.ts'
import { orThrow } from '../primitives/or-throw.ts'
import { readUpTo } from '../primitives/read-up-to.ts'
import { AiProviderError } from './ai-errors.ts'

interface ProviderImageOptions {
  /** The configured base URL: images are fetched from its origin and nowhere else. */
  provider: string
  signal: AbortSignal
  lookup?: LookUpAll
}

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
  if (isIP(host)) return isPrivateAddress(host)
  return !host.includes('.') || /\.(localhost|local|internal|lan|home\.arpa|test)$/.test(host)
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
    return orThrow(await readUpTo(response, maxImageBytes), () => failed('image too large'))
  } catch (error) {
    throw error instanceof AiProviderError ? error : failed('no connection for the image')
  } finally {
    request.destroy()
  }
}

function failed(what: string): AiProviderError {
  return new AiProviderError('failed', what)
}
