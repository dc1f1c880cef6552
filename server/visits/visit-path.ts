import { qrParameter, qrSegment } from '#domain/links/qr-address.ts'
import { reservedOnDomains } from '#domain/links/domain-paths.ts'
import { reservedWords } from '#domain/routes.ts'

const reserved = new Set(reservedWords)
const onDomains = new Set(reservedOnDomains)

/** The longest request target; the server responds 414 beyond it. */
const maxUrlLength = 8_192

/** Ends after the name: `lastIndex` says where, without a result array for each visit. */
const namePath = /^\/[a-z0-9_-]{1,50}(?=\/?(?:\?|$))/gi

/** Reserved words that links or bio pages had before they were reserved (postgres/own-names.ts). */
export type KeptNames = ReadonlySet<string>

/** Whether a name at a place is for its pages, and no link or bio page can have it. A domain reserves the paths that it serves. */
export type IsReserved = (name: string, prefix: string) => boolean

export function createReserved(kept: KeptNames = new Set()): IsReserved {
  return (name, prefix) =>
    prefix === '' ? reserved.has(name) && !kept.has(name) : onDomains.has(name)
}

/**
 * The name in a request target of the form `/{name}`, in lower case; a slash and a query may follow. Undefined for other
 * paths, invalid names and reserved words such as `404`.
 *
 * @param prefix of the place (http/hosts.ts)
 */
export function nameIn(url: string, prefix: string, isReserved: IsReserved): string | undefined {
  if (url.length > maxUrlLength) return undefined
  namePath.lastIndex = 0
  if (!namePath.test(url)) return undefined
  const name = url.slice(1, namePath.lastIndex).toLowerCase()
  return isReserved(name, prefix) ? undefined : name
}

/** The address in a QR code, in any case; a slash, a plus and a query may follow, as after `/{code}`. */
const scannedPath = /^\/q\/([a-z0-9_-]{1,50})(?:\/([a-z0-9]{2,8}))?(?:\/|(\+|%2B))?(?=\?|$)/i

/**
 * The target `/{code}?qr` of a scan: `/q/{code}` and `/q/{code}/{mark}` are the same visit, in every respect. It is
 * `/{code}?qr={mark}` with the mark of a placement, which need not exist. Undefined for other targets.
 */
export function scannedTarget(
  url: string,
  prefix: string,
  isReserved: IsReserved,
): string | undefined {
  // Most targets are ruled out here.
  if (url.charCodeAt(2) !== slash || url.length > maxUrlLength) return undefined
  const [path, code, mark, plus = ''] = scannedPath.exec(url) ?? []
  const name = code?.toLowerCase()
  if (path === undefined || name === undefined || isReserved(name, prefix)) return undefined
  // The beacons of a page that had the name before it was reserved.
  if (mark !== undefined && name === 'popup' && !isReserved(qrSegment, prefix)) return undefined
  const marker = mark === undefined ? qrParameter : `${qrParameter}=${mark.toLowerCase()}`
  const query = url.slice(path.length + 1)
  return `/${name}${plus}?${marker}${query === '' ? '' : `&${query}`}`
}

const slash = 0x2f

/**
 * Where a visitor goes: to a name, to the page that shows where a link leads (`/{code}+`), to a link of a bio page (`/{slug}/go/{id}`), or to one of our own pages; or a popup beacon
 * (`/{name}/popup/{action}`).
 */
export type VisitPath =
  | { to: 'name' | 'preview-page'; key: string }
  | { to: 'bio-link'; key: string; linkId: string }
  | { to: 'popup'; key: string; action: string }
  | { to: 'demo' }
  | { to: 'not-found' }

/** Paths besides `/{name}`: the name comes first, and another part after it. */
const longerPaths = [
  [
    /^\/([a-z0-9_-]{1,50})(?:\+|%2B)(?:\?|$)/i,
    (key: string): VisitPath => ({ to: 'preview-page', key }),
  ],
  [
    /^\/([a-z0-9_-]{1,50})\/go\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\?|$)/,
    (key: string, linkId: string): VisitPath => ({ to: 'bio-link', key, linkId }),
  ],
  [
    /^\/([a-z0-9_-]{1,50})\/popup\/([^/?#]{1,50})$/i,
    (key: string, action: string): VisitPath => ({ to: 'popup', key, action }),
  ],
] as const

const ownPages: Record<string, VisitPath> = { demo: { to: 'demo' }, 404: { to: 'not-found' } }

/** Reads a request target. Undefined for a path that is not a visit. */
export function visitPathOf(
  url: string,
  prefix: string,
  isReserved: IsReserved,
): VisitPath | undefined {
  const plain = nameIn(url, prefix, isReserved)
  if (plain !== undefined) return { to: 'name', key: prefix + plain }
  if (url.length > maxUrlLength) return undefined
  const [, ownPage] =
    (prefix === '' ? /^\/(demo|404)(?:\/?$|\?)/ : /^\/(404)(?:\/?$|\?)/).exec(url) ?? []
  if (ownPage !== undefined) return ownPages[ownPage]
  for (const [pattern, pathOf] of longerPaths) {
    const [, name, rest = ''] = pattern.exec(url) ?? []
    if (name !== undefined && !isReserved(name.toLowerCase(), prefix))
      return pathOf(prefix + name.toLowerCase(), rest)
  }
  return undefined
}
