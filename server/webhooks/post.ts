import { lookup as systemLookUp, type LookupAddress, promises as dns } from 'node:dns'
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { callbackify } from 'node:util'
import {
  anyAddress,
  isPrivateAddress,
  type LookUpAll,
  PrivateAddressError,
  publicOnly,
} from '../primitives/public-address.ts'
import { problemOfEndpoint } from './endpoint-url.ts'
import { errorCode } from '../primitives/error-code.ts'

interface RequestOptions {
  headers: Record<string, string>
  /** From the look-up of the name to the end of the answer. */
  timeoutMs: number
  /** Allows http and private addresses. */
  allowsPrivate: boolean
  /** Bytes read of the answer. Default: 64 kB. */
  maxBytes?: number | undefined
  /** In the place of DNS. */
  lookUp?: LookUpAll | undefined
  /** Makes the connections instead of a separate one per request. */
  agent?: Agent | undefined
}

export interface GetOptions extends RequestOptions {
  /** Default: GET. */
  method?: 'GET' | 'HEAD' | undefined
  /** Allows http, to public addresses. */
  allowsHttp?: boolean | undefined
  /** Ends the connection after the headers; `answer` is empty then. */
  skipsBody?: boolean | undefined
  /** Takes an answer behind any certificate, which is in the result. */
  anyCertificate?: boolean | undefined
  /** Certificate authorities; default: those of Node. */
  ca?: string | undefined
}

export interface PostOptions extends RequestOptions {
  body: string
}

/** A receiver's answer, or the reason why there is none. */
export type PostResult =
  | {
      status: number
      /** Decoded by its charset, or else as UTF-8. */
      answer: string
      retryAfter: string | undefined
      contentType?: string | undefined
      location?: string | undefined
      /** Name of the server's program. */
      server?: string | undefined
      /** With `anyCertificate`. */
      certificate?: Certificate | undefined
    }
  | {
      error: string
      /** A code of Node, or `TIMEOUT`; undefined when the address was refused before. */
      code?: string | undefined
      status?: undefined
      retryAfter?: undefined
    }

/** A certificate as browsers judge it. */
export interface Certificate {
  isValid: boolean
  endsAt: Date
}

/** Bytes read of an answer by default; the connection ends then. */
const maxAnswerBytes = 64 * 1024

/**
 * Sends a POST over a separate connection. Follows no redirect and reads at most `maxBytes`. Without `allowsPrivate` every
 * connection goes to a public address, independent of earlier look-ups of the name. Never rejects.
 */
export function postToEndpoint(url: string, options: PostOptions): Promise<PostResult> {
  return exchange(url, options, 'POST', options.body)
}

/** Like postToEndpoint, for reading. */
export function getFromEndpoint(url: string, options: GetOptions): Promise<PostResult> {
  return exchange(url, options, options.method ?? 'GET')
}

async function exchange(
  url: string,
  options: GetOptions,
  method: 'GET' | 'HEAD' | 'POST',
  body?: string,
): Promise<PostResult> {
  const { headers, timeoutMs, allowsPrivate } = options
  const problem = problemOfEndpoint(url, allowsPrivate, options.allowsHttp)
  if (problem !== undefined) return { error: problem }
  const signal = AbortSignal.timeout(timeoutMs)
  const send = new URL(url).protocol === 'https:' ? httpsRequest : httpRequest
  const { agent = false, maxBytes = maxAnswerBytes, anyCertificate = false, ca } = options
  const tls = { rejectUnauthorized: !anyCertificate, ...(ca !== undefined && { ca }) }
  const lookup = lookUpOf(options)
  let request: ClientRequest | undefined
  try {
    // Throws at once for a header that HTTP cannot have.
    request = send(url, { method, headers, signal, agent, lookup, ...tls })
    // An error after the response also ends the response, which is read below.
    request.on('error', () => {})
    if (!allowsPrivate) request.on('socket', refusePrivatePeers)
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    const { statusCode: status = 0, headers: answered } = response
    const certificate = anyCertificate ? certificateOf(response.socket) : undefined
    const { 'retry-after': retryAfter, 'content-type': contentType, location, server } = answered
    const answer =
      options.skipsBody === true ? '' : decode(await readStart(response, maxBytes), contentType)
    return {
      status,
      answer,
      retryAfter,
      contentType,
      location,
      server: server?.toString(),
      certificate,
    }
  } catch (error) {
    if (signal.aborted) return { error: `No answer within ${timeoutMs / 1_000} s`, code: 'TIMEOUT' }
    return { error: wordsOf(error), code: errorCode(error) }
  } finally {
    request?.destroy()
  }
}

function lookUpOf({ allowsPrivate, lookUp }: GetOptions) {
  if (!allowsPrivate) return publicOnly(lookUp ?? lookUpByDns)
  return lookUp ? anyAddress(lookUp) : systemLookUp
}

function certificateOf(socket: Socket): Certificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  return {
    isValid: socket.authorized,
    endsAt: new Date(socket.getPeerCertificate().valid_to),
  }
}

/** The look-up was checked already; this also covers a proxy or a faulty look-up. */
function refusePrivatePeers(socket: Socket): void {
  socket.once('connect', () => {
    const { remoteAddress = '' } = socket
    if (isPrivateAddress(remoteAddress))
      socket.destroy(new PrivateAddressError('a private address'))
  })
}

async function readStart(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

/** By the charset of the header, or of a `<meta>` in the first kilobyte. */
function decode(bytes: Buffer, contentType = ''): string {
  const start = contentType.startsWith('text/html') ? bytes.toString('latin1', 0, 1_024) : ''
  const inHeader = /charset="?([\w-]{1,40})/i.exec(contentType)
  const [, label] = inHeader ?? /<meta[^>]{1,200}charset=["']?([\w-]{1,40})/i.exec(start) ?? []
  try {
    return new TextDecoder(label).decode(bytes)
  } catch {
    return bytes.toString('utf8')
  }
}

async function askNameServers(host: string): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const listOf = (found: PromiseSettledResult<string[]>, family: 4 | 6) =>
    found.status === 'fulfilled' ? found.value.map((address) => ({ address, family })) : []
  const addresses = [...listOf(four, 4), ...listOf(six, 6)]
  if (addresses.length === 0 && four.status === 'rejected') throw four.reason
  return addresses
}

/**
 * Asks the name servers, and not /etc/hosts: its names are not public. Unlike dns.lookup() it takes no thread, of which the
 * process has four: name servers that hang must not hold up its files.
 */
const lookUpByDns: LookUpAll = (host, _options, done) =>
  callbackify(askNameServers)(host, (error, addresses) => done(error, addresses))

/** For the owner of the webhook. The message of a connection's error names the address, which is not theirs to learn. */
function wordsOf(error: unknown): string {
  if (error instanceof PrivateAddressError) return 'The address must be a public one'
  const code = errorCode(error) ?? ''
  const known: Record<string, string> = {
    ECONNREFUSED: 'The connection was refused',
    ECONNRESET: 'The connection was closed before an answer came',
    EPIPE: 'The connection was closed before an answer came',
    ENOTFOUND: 'The name has no address',
    ENODATA: 'The name has no address',
    ETIMEOUT: 'The name servers did not answer',
    ETIMEDOUT: 'The connection timed out',
    EHOSTUNREACH: 'The receiver cannot be reached',
    ENETUNREACH: 'The receiver cannot be reached',
    CERT_HAS_EXPIRED: 'The certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is self-signed',
    SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is self-signed',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate cannot be verified',
    ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name',
  }
  return known[code] ?? `The request failed${code === '' ? '' : ` (${code})`}`
}
