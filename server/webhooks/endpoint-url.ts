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
 */
export function problemOfEndpoint(text: string, allowsPrivate: boolean): string | undefined {
  if (!URL.canParse(text) || text.length > 2_048) return 'This is not a web address'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'The address must have no user or password'
  if (url.hash !== '') return 'The address must have no fragment (#)'
  if (allowsPrivate)
    return /^https?:$/.test(url.protocol) ? undefined : 'The address must begin with https://'
  if (url.protocol !== 'https:') return 'The address must begin with https://'
  if (url.port !== '' && Number(url.port) < firstFreePort)
    return `The port must be 443, or ${firstFreePort} or above`
  // The URL parser has normalized it: 0x7f.1 and 2130706433 are 127.0.0.1 here.
  const host = hostOfEndpoint(url)
  const isPrivate = isIP(host) === 0 ? isLocalName(host) : isPrivateAddress(host)
  return isPrivate ? 'The address must be a public one' : undefined
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
