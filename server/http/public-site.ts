/** The address of this server. A getter may stand for it: without PUBLIC_URL it is known only when the server listens. */
export interface PublicSite {
  readonly publicUrl: string
  readonly hstsSubdomains: boolean
  /** Where the app is; default: here. */
  readonly appUrl?: string
}

/** The own host, that of LINKS_URL or a domain, with the site that it shows. */
export interface HostPlace {
  /** Beginning of the key of each name there: '' on the own hosts, `{id}/` on a domain (visits/names/name-key.ts). */
  prefix: string
  site: PublicSite
  /** The site of its links: pages name their addresses there. */
  links: PublicSite
  /** Where the bare host and missing codes lead, of a place without the app; undefined: plain pages. */
  root?: string | undefined
  missing?: string | undefined
}

/** Whether the app, its API and its documents are here: on the host of PUBLIC_URL alone. */
export function hasApp({ site }: HostPlace): boolean {
  return site.appUrl === undefined
}

interface Addresses extends PublicSite {
  readonly linksUrl: string
}

/** The site of the server's own links: the server itself, or that of LINKS_URL, which has no app. */
export function linksSiteOf(own: Addresses): PublicSite {
  const { publicUrl, linksUrl, hstsSubdomains } = own
  // Both are the same as long as they are known only when the server listens.
  if (linksUrl === publicUrl) return own
  return { publicUrl: linksUrl, hstsSubdomains, appUrl: publicUrl }
}
