import { qrParameter, qrSegment } from '#domain/links/qr-address.ts'
import { reservedWords } from '#domain/routes.ts'

const reserved = new Set(reservedWords)

/** The longest request target; the server responds 414 beyond it. */
const maxUrlLength = 8_192

/** Ends after the name: `lastIndex` says where, without a result array for each visit. */
const namePath = /^\/[a-z0-9_-]{1,50}(?=\/?(?:\?|$))/gi

/** Reserved words that links or bio pages had before they were reserved (postgres/own-names.ts). */
export type KeptNames = ReadonlySet<string>

const noneKept: KeptNames = new Set()

/**
 * The name in a request target of the form `/{name}`, in lower case; a slash and a query may follow. Undefined for other
 * paths, invalid names and reserved words such as `404`, except kept ones.
 */
export function nameIn(url: string, kept = noneKept): string | undefined {
  if (url.length > maxUrlLength) return undefined
  namePath.lastIndex = 0
  if (!namePath.test(url)) return undefined
  const name = url.slice(1, namePath.lastIndex).toLowerCase()
  return isOurs(name, kept) ? undefined : name
}

function isOurs(name: string, kept: KeptNames): boolean {
  return reserved.has(name) && !kept.has(name)
}

/** The address in a QR code, in any case; a slash, a plus and a query may follow, as after `/{code}`. */
const scannedPath = /^\/q\/([a-z0-9_-]{1,50})(?:\/([a-z0-9]{2,8}))?(?:\/|(\+|%2B))?(?=\?|$)/i

/**
 * The target `/{code}?qr` of a scan: `/q/{code}` and `/q/{code}/{mark}` are the same visit, in every respect. It is
 * `/{code}?qr={mark}` with the mark of a placement, which need not exist. Undefined for other targets.
 */
export function scannedTarget(url: string, kept = noneKept): string | undefined {
  // Most targets are ruled out here.
  if (url.charCodeAt(2) !== slash || url.length > maxUrlLength) return undefined
  const [path, code, mark, plus = ''] = scannedPath.exec(url) ?? []
  const name = code?.toLowerCase()
  if (path === undefined || name === undefined || isOurs(name, kept)) return undefined
  // The beacons of a page that had the name before it was reserved.
  if (mark !== undefined && name === 'popup' && kept.has(qrSegment)) return undefined
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
  | { to: 'name' | 'preview-page'; name: string }
  | { to: 'bio-link'; name: string; linkId: string }
  | { to: 'popup'; name: string; action: string }
  | { to: 'demo' }
  | { to: 'not-found' }

/** Paths besides `/{name}`: the name comes first, and another part after it. */
const longerPaths = [
  [
    /^\/([a-z0-9_-]{1,50})(?:\+|%2B)(?:\?|$)/i,
    (name: string): VisitPath => ({ to: 'preview-page', name }),
  ],
  [
    /^\/([a-z0-9_-]{1,50})\/go\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\?|$)/,
    (name: string, linkId: string): VisitPath => ({ to: 'bio-link', name, linkId }),
  ],
  [
    /^\/([a-z0-9_-]{1,50})\/popup\/([^/?#]{1,50})$/i,
    (name: string, action: string): VisitPath => ({ to: 'popup', name, action }),
  ],
] as const

const ownPages: Record<string, VisitPath> = { demo: { to: 'demo' }, 404: { to: 'not-found' } }

/** Reads a request target. Undefined for a path that is not a visit. */
export function visitPathOf(url: string, kept: KeptNames): VisitPath | undefined {
  const plain = nameIn(url, kept)
  if (plain !== undefined) return { to: 'name', name: plain }
  if (url.length > maxUrlLength) return undefined
  const [, ownPage] = /^\/(demo|404)(?:\/?$|\?)/.exec(url) ?? []
  if (ownPage !== undefined) return ownPages[ownPage]
  for (const [pattern, pathOf] of longerPaths) {
    const [, name, rest = ''] = pattern.exec(url) ?? []
    if (name !== undefined && !isOurs(name.toLowerCase(), kept))
      return pathOf(name.toLowerCase(), rest)
  }
  return undefined
}
