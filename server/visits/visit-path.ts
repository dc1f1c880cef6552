import { reservedWords } from '#domain/routes.ts'

const reserved = new Set(reservedWords)

/** The longest request target; the server responds 414 beyond it. */
const maxUrlLength = 8_192

const namePath = /^\/([a-z0-9_-]{1,50})\/?(?:\?|$)/i

/** Reserved words that links or bio pages had before they were reserved (postgres/own-names.ts). */
export type KeptNames = ReadonlySet<string>

const noneKept: KeptNames = new Set()

/**
 * The name in a request target of the form `/{name}`, in lower case; a slash and a query may follow. Undefined for other
 * paths, invalid names and reserved words such as `404`, except kept ones.
 */
export function nameIn(url: string, kept = noneKept): string | undefined {
  if (url.length > maxUrlLength) return undefined
  const name = namePath.exec(url)?.[1]?.toLowerCase()
  return name === undefined || isOurs(name, kept) ? undefined : name
}

function isOurs(name: string, kept: KeptNames): boolean {
  return reserved.has(name) && !kept.has(name)
}

const bioLinkPath =
  /^\/([a-z0-9_-]{1,50})\/go\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\?|$)/

const popupPath = /^\/([a-z0-9_-]{1,50})\/popup\/([^/?#]{1,50})$/i

const previewPath = /^\/([a-z0-9_-]{1,50})(?:\+|%2B)(?:\?|$)/i

/**
 * Where a visitor goes: to a name, to the page that shows where a link leads (`/{code}+`), to a link of a bio page (`/{slug}/go/{id}`), or to one of our own pages; or a popup beacon
 * (`/{name}/popup/{action}`).
 */
export type VisitPath =
  | { to: 'name' | 'preview-page'; name: string }
  | { to: 'bio-link'; name: string; linkId: string }
  | { to: 'popup'; name: string; action: string }
  | { to: 'demo' | 'not-found' }

/** Reads a request target. Undefined for a path that is not a visit. */
export function visitPathOf(url: string, kept: KeptNames): VisitPath | undefined {
  const name = nameIn(url, kept)
  if (name !== undefined) return { to: 'name', name }
  if (url.length > maxUrlLength) return undefined
  const ownPage = /^\/(demo|404)(?:\/?$|\?)/.exec(url)?.[1]
  if (ownPage !== undefined) return { to: ownPage === 'demo' ? 'demo' : 'not-found' }
  const shown = previewPath.exec(url)?.[1]?.toLowerCase()
  if (shown !== undefined)
    return isOurs(shown, kept) ? undefined : { to: 'preview-page', name: shown }
  const [, slug, linkId] = bioLinkPath.exec(url) ?? []
  if (slug !== undefined && linkId !== undefined)
    return isOurs(slug, kept) ? undefined : { to: 'bio-link', name: slug, linkId }
  const [, named, action] = popupPath.exec(url) ?? []
  if (named === undefined || action === undefined) return undefined
  const shownBy = named.toLowerCase()
  return isOurs(shownBy, kept) ? undefined : { to: 'popup', name: shownBy, action }
}
