import type { Config } from '../config.ts'
import type { DomainTargets } from './dns-facts.ts'

/** Addresses of the server. */
export interface DomainSite {
  publicUrl: string
  linksUrl: string
}

/** Where the records of domains may lead. The host of links comes first: records to copy name it. */
export function targetsOf({
  domains,
  publicUrl,
  linksUrl,
}: Pick<Config, 'domains'> & DomainSite): DomainTargets & { linksHost: string } {
  const [linksHost, publicHost] = [linksUrl, publicUrl].map((url) => new URL(url).hostname) as [
    string,
    string,
  ]
  return { linksHost, hosts: [linksHost, publicHost], addresses: domains.addresses }
}
