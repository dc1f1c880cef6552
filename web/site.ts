import { isLocalAddress, ownHostsOf, readableHost } from '#domain/links/destinations.ts'
import { addressOfName, readNamedOn } from '#domain/links/link-address.ts'

function meta(name: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
  // Vite's own development server leaves the placeholders as they are.
  return content.startsWith('%') ? '' : content
}

const publicUrl = (meta('hoplet-public-url') || window.location.origin).replace(/\/+$/, '')
const linksUrl = meta('hoplet-links-url') || publicUrl

const payments = meta('hoplet-payments')

/** Facts about the server in the page. Short links come from here, never from the address bar. */
export const site = {
  anonKey: meta('hoplet-anon-key'),
  publicUrl,
  /** The origin of the server's own links. */
  linksUrl,
  ownHosts: ownHostsOf({ publicUrl, linksUrl }),
  /** The host of the server's own links, as people read it. */
  host: readableHost(linksUrl),
  /** Its links work on the machine of the server only. */
  isLocal: isLocalAddress(linksUrl),
  /** Contact address of the operator; empty: none. */
  contact: meta('hoplet-contact'),
  version: meta('hoplet-version'),
  /** Whether accounts have plans. */
  hasPlans: meta('hoplet-plans') !== 'off',
  /** Whether people sign in with passwords and emails; else by a provider alone. */
  hasPasswords: meta('hoplet-passwords') !== 'off',
  /** The provider to go to without asking; empty: none. */
  autoProvider: meta('hoplet-auto-provider'),
  payments: payments === 'stripe' || payments === 'play_money' ? payments : 'none',
  /** The price identifiers of the paid plans, at the payment provider. */
  prices: { pro: meta('hoplet-price-pro'), business: meta('hoplet-price-business') },
}

/** The address of a link or bio page by its text of `namedOn`. */
export function shortLinkUrl(code: string): string {
  return addressOfName(site.linksUrl, readNamedOn(code))
}

/** The page of a shared report. */
export function sharedReportUrl(token: string): string {
  return `${site.publicUrl}/analytics/shared/${token}`
}
