import { isIP } from 'node:net'
import type { WebhookProvider } from '#domain/webhooks.ts'
import { isPrivateAddress } from '../primitives/public-address.ts'

/** Ports below this, other than 443, belong to other protocols. */
const firstFreePort = 1024

/**
 * The reason that keeps a webhook from being sent to an address, in words for its owner; undefined when nothing does. A name can get
 * another address at any time: each connection checks again (post.ts).
 *
 * @param allowsPrivate WEBHOOK_PRIVATE_ADDRESSES: http and private addresses are fine
 * @param allowsHttp http is fine, at port 80 or a free one
 */
export function problemOfEndpoint(
  text: string,
  allowsPrivate: boolean,
  allowsHttp = allowsPrivate,
): string | undefined {
  if (!URL.canParse(text) || text.length > 2_048) return 'This is not a web address'
  const url = new URL(text)
  return faults.find(([isFault]) => isFault(url, allowsPrivate, allowsHttp))?.[1]
}

type IsFault = (url: URL, allowsPrivate: boolean, allowsHttp: boolean) => boolean

/** In the order in which they are told. */
const faults: readonly [IsFault, problem: string][] = [
  [
    ({ username, password }) => username + password !== '',
    'The address must have no user or password',
  ],
  [({ hash }) => hash !== '', 'The address must have no fragment (#)'],
  [
    ({ protocol }, _allowsPrivate, allowsHttp) =>
      !['https:', allowsHttp && 'http:'].includes(protocol),
    'The address must begin with https://',
  ],
  [
    ({ port }, allowsPrivate) => !allowsPrivate && port !== '' && Number(port) < firstFreePort,
    `The port must be 443, or ${firstFreePort} or above`,
  ],
  [
    (url, allowsPrivate) => !allowsPrivate && isPrivateHost(url),
    'The address must be a public one',
  ],
]

/** The URL parser has normalized it: 0x7f.1 and 2130706433 are 127.0.0.1 here. */
function isPrivateHost(url: URL): boolean {
  const host = hostOfEndpoint(url)
  return isIP(host) === 0 ? isLocalName(host) : isPrivateAddress(host)
}

/** Whether a private address is fine: the operator lists servers with listmonk (LEAD_HOSTS). */
export function allowsPrivateOf(
  { allowsPrivate, leadHosts }: { allowsPrivate: boolean; leadHosts: readonly string[] },
  url: string,
  provider: WebhookProvider | undefined,
): boolean {
  const isListed = URL.canParse(url) && leadHosts.includes(new URL(url).host)
  return allowsPrivate || (provider === 'listmonk' && isListed)
}

/** Without the brackets of IPv6. */
function hostOfEndpoint({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** A name that no public DNS knows. */
function isLocalName(host: string): boolean {
  const name = host.replace(/\.$/, '')
  return !name.includes('.') || /\.(localhost|local|internal|lan|home\.arpa)$/.test(name)
}
