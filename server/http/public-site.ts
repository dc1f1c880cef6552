/** The address of this server. A getter may stand for it: without PUBLIC_URL it is known only when the server listens. */
export interface PublicSite {
  readonly publicUrl: string
  readonly hstsSubdomains: boolean
  /** Where the app is; default: here. */
  readonly appUrl?: string
}

/** The own host or a domain, with the site that it shows. */
export interface HostPlace {
  /** Beginning of the key of each name there: '' on the own host, `{id}/` on a domain (visits/names/name-key.ts). */
  prefix: string
  site: PublicSite
}
