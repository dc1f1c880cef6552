import { checkDestination } from '#domain/links/destinations.ts'
import { addressOfName, linksOrigin, type NamedOn } from '#domain/links/link-address.ts'
import type { HostPlace } from './public-site.ts'

/** A domain of an account that is served, or may have a certificate, as the database has it. */
export interface DomainRow {
  id: number
  host: string
  isServed: boolean
  /** TXT and direction were right at the last check. */
  isProven: boolean
  /** It is the registered domain itself. */
  isApex: boolean
  /** Where its root and its missing codes lead: an address, or `bio`; null for a plain page. */
  root: string | null
  missing: string | null
  /** The account's bio page, if one of the two leads there and it is served. */
  bio: NamedOn | null
}

interface KnownDomain {
  row: DomainRow
  /** Undefined while it is not served. */
  place: HostPlace | undefined
}

/** The domains of accounts in memory, by host and by the prefix of their names. A change costs as much as the rows that changed. */
export function createServedDomains(site: { publicUrl: string; linksUrl: string }) {
  const known = new Map<number, KnownDomain>()
  const byHost = new Map<string, HostPlace>()
  const byPrefix = new Map<string, HostPlace>()
  /** Rows by host that may have a certificate. Several accounts may claim a host. */
  const certified = new Map<string, Set<number>>()
  /** Apex hosts that are proven, and so is their `www.`. */
  const apexes = new Map<string, Set<number>>()
  let generation = {}

  const remove = (id: number): void => {
    const domain = known.get(id)
    if (!domain) return
    const { host } = domain.row
    known.delete(id)
    byPrefix.delete(prefixOf(id))
    if (byHost.get(host)?.prefix === prefixOf(id)) byHost.delete(host)
    removeFrom(certified, host, id)
    removeFrom(apexes, host, id)
  }
  const add = (row: DomainRow): void => {
    const place = row.isServed ? placeOf(row, site) : undefined
    known.set(row.id, { row, place })
    if (place) {
      byHost.set(row.host, place)
      byPrefix.set(place.prefix, place)
    }
    addTo(certified, row.host, row.id)
    if (row.isApex && row.isProven) addTo(apexes, row.host, row.id)
  }
  /** Whether `www.` of a host is not a domain itself, and the host one that has it too. */
  const isTwin = (host: string, ofHost: Pick<ReadonlyMap<string, unknown>, 'has'>) =>
    host.startsWith('www.') && !byHost.has(host) && ofHost.has(host.slice(4))

  return {
    placeAt: (host: string): HostPlace | undefined => byHost.get(host),
    placeOfPrefix: (prefix: string): HostPlace | undefined => byPrefix.get(prefix),
    /** The served apex domain of a host with `www.`. */
    apexOf(host: string): HostPlace | undefined {
      const place = isTwin(host, byHost) ? byHost.get(host.slice(4)) : undefined
      const id = Number.parseInt(place?.prefix ?? '', 10)
      return known.get(id)?.row.isApex === true ? place : undefined
    },
    /** Whether a host may have a certificate: it is served or proven, or the `www.` of a proven apex. */
    allows: (host: string): boolean => certified.has(host) || isTwin(host, apexes),
    /** All hosts that may have one. */
    allowed: (): string[] => [
      ...certified.keys(),
      ...[...apexes.keys()].map((host) => `www.${host}`).filter((www) => isTwin(www, apexes)),
    ],
    /** @param ids those that were read; ids without a row are gone */
    change(ids: readonly number[], rows: readonly DomainRow[]): void {
      ids.forEach(remove)
      rows.forEach(add)
      generation = {}
    },
    replaceAll(rows: readonly DomainRow[]): void {
      this.change([...known.keys()], rows)
    },
    /** Changes with the domains. */
    generation: (): object => generation,
  }
}

const prefixOf = (id: number) => `${id}/`

function placeOf(
  row: DomainRow,
  { publicUrl: appUrl, linksUrl }: { publicUrl: string; linksUrl: string },
) {
  // The subdomains of a customer's host are not ours.
  const site = { publicUrl: linksOrigin(linksUrl, row.host), hstsSubdomains: false, appUrl }
  const addressOf = (target: string | null): string | undefined => {
    if (target === 'bio') return row.bio === null ? undefined : addressOfName(linksUrl, row.bio)
    return target !== null && isElsewhere(target, row.host) ? target : undefined
  }
  return {
    prefix: prefixOf(row.id),
    site,
    links: site,
    root: addressOf(row.root),
    missing: addressOf(row.missing),
  }
}

/** Whether an address may be followed, and is not at the host itself: a visitor would go in a circle. */
function isElsewhere(url: string, host: string): boolean {
  return checkDestination(url, { ownHosts: [host] }).ok
}

function addTo(map: Map<string, Set<number>>, host: string, id: number): void {
  map.set(host, (map.get(host) ?? new Set()).add(id))
}

function removeFrom(map: Map<string, Set<number>>, host: string, id: number): void {
  const ids = map.get(host)
  ids?.delete(id)
  if (ids?.size === 0) map.delete(host)
}
