import { checkDestination } from '#domain/links/destinations.ts'
import type { getFromEndpoint, PostResult } from '../webhooks/post.ts'

const maxRedirects = 5

export interface DestinationReader {
  getPublic: typeof getFromEndpoint
  userAgent: string
  /** For each request. */
  timeoutMs: number
  /** Hosts of this server, as {@link checkDestination} takes them: a request to a short link would be a visit. */
  ownHosts: readonly string[]
  /** Waits until a host may be asked once more. */
  takeTurn: (hostname: string) => Promise<void>
}

/** How one check of a destination ended. `reason` is a status, or a word of {@link wordsOfErrors}. */
export type Reached =
  | { kind: 'answers' }
  /** Each redirect to the address was permanent. */
  | { kind: 'moved'; to: string }
  /** A page that is gone, a certificate that browsers refuse: known with one check. */
  | { kind: 'dead' | 'certificate'; reason: string }
  /** May pass, for example a server that restarts. */
  | { kind: 'failed'; reason: string }

/** Meanings of codes of Node. Those of an incomplete chain are missing: browsers complete it. */
const wordsOfErrors: Readonly<
  Record<string, [Reached['kind'] & ('failed' | 'certificate'), string]>
> = {
  ENOTFOUND: ['failed', 'name'],
  ENODATA: ['failed', 'name'],
  ESERVFAIL: ['failed', 'name'],
  EREFUSED: ['failed', 'name'],
  ETIMEOUT: ['failed', 'name'],
  ECONNREFUSED: ['failed', 'refused'],
  ECONNRESET: ['failed', 'closed'],
  EPIPE: ['failed', 'closed'],
  EHOSTUNREACH: ['failed', 'unreachable'],
  ENETUNREACH: ['failed', 'unreachable'],
  ETIMEDOUT: ['failed', 'timeout'],
  TIMEOUT: ['failed', 'timeout'],
  CERT_HAS_EXPIRED: ['certificate', 'expired'],
  CERT_NOT_YET_VALID: ['certificate', 'not-yet-valid'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['certificate', 'self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['certificate', 'self-signed'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['certificate', 'other-name'],
}

/** Errors of servers that do not know HEAD. */
const headErrors = ['TIMEOUT', 'ECONNRESET', 'EPIPE']

/**
 * Asks a destination, and follows up to five redirects, each checked like the first address. A sign-in, a limit, more redirects
 * and an address that may not be asked count as an answer: they are no sign of a dead destination.
 */
export async function reachDestination(
  address: string,
  reader: DestinationReader,
): Promise<Reached> {
  const start = new URL(address)
  let url = start
  let moved = start
  let isPermanent = true
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!checkDestination(url.href, reader).ok) break
    const result = await ask(url, reader)
    if ('error' in result) return reachedBy(result.code)
    const { status, location } = result
    if (status === 404 || status === 410) return { kind: 'dead', reason: String(status) }
    if (status >= 500) return { kind: 'failed', reason: String(status) }
    const next = status >= 300 && status < 400 ? nextOf(url, location) : undefined
    if (!next)
      return moved.href === start.href ? { kind: 'answers' } : { kind: 'moved', to: moved.href }
    isPermanent &&= status === 301 || status === 308
    if (isPermanent) moved = next
    url = next
  }
  return { kind: 'answers' }
}

function reachedBy(code: string | undefined): Reached {
  const [kind, reason] = wordsOfErrors[code ?? ''] ?? []
  return kind === undefined || reason === undefined ? { kind: 'answers' } : { kind, reason }
}

/** A fragment is kept (RFC 9110, 10.2.2). Apps have addresses of other schemes, which nobody can ask. */
function nextOf(url: URL, location: string | undefined): URL | undefined {
  if (location === undefined || !URL.canParse(location, url)) return undefined
  const next = new URL(location, url)
  if (!['http:', 'https:'].includes(next.protocol)) return undefined
  if (next.hash === '') next.hash = url.hash
  return next
}

async function ask(url: URL, reader: DestinationReader): Promise<PostResult> {
  const head = await send(url, 'HEAD', reader)
  const isKnown =
    'error' in head
      ? !headErrors.includes(head.code ?? '')
      : head.status < 400 || head.status === 429
  return isKnown ? head : send(url, 'GET', reader)
}

async function send(
  url: URL,
  method: 'HEAD' | 'GET',
  { getPublic, userAgent, timeoutMs, takeTurn }: DestinationReader,
): Promise<PostResult> {
  const asked = new URL(url)
  asked.hash = ''
  await takeTurn(url.hostname)
  return getPublic(asked.href, {
    method,
    headers: { accept: '*/*', 'user-agent': userAgent },
    timeoutMs,
    allowsPrivate: false,
    allowsHttp: true,
    skipsBody: true,
  })
}
