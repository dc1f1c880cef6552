import { reservedWords } from '#domain/routes.ts'

const reserved = new Set(reservedWords)

/** The longest name of a link or a bio page. */
const maxNameLength = 50

/** The longest request target; the server responds 414 beyond it. */
const maxUrlLength = 8_192

// 1: lower case, digit, hyphen or underscore; 2: upper case; 0: anything else.
const classes = new Uint8Array(128)
for (const character of 'abcdefghijklmnopqrstuvwxyz0123456789-_')
  classes[character.charCodeAt(0)] = 1
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') classes[character.charCodeAt(0)] = 2

/**
 * The name in a request target of the form `/{name}`, in lower case; a slash and a query may follow. Undefined for other
 * paths, invalid names and reserved words (among them `404`).
 */
export function nameIn(url: string): string | undefined {
  const length = url.length
  if (length < 2 || length > maxUrlLength || url.charCodeAt(0) !== slash) return undefined
  let end = 1
  let hasUpperCase = false
  while (end < length && end <= maxNameLength + 1) {
    const kind = classes[url.charCodeAt(end)]
    if (!kind) break
    if (kind === 2) hasUpperCase = true
    end++
  }
  if (end === 1 || end > maxNameLength + 1) return undefined
  if (end < length) {
    let next = url.charCodeAt(end)
    if (next === slash) next = url.charCodeAt(end + 1)
    if (next === next && next !== question) return undefined
  }
  const name = hasUpperCase ? url.slice(1, end).toLowerCase() : url.slice(1, end)
  return reserved.has(name) ? undefined : name
}

const bioLinkPath =
  /^\/([a-z0-9_-]{1,50})\/go\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?:\?|$)/

/** The page and the link in a request target of the form `/{slug}/go/{id}`, the form in bio pages. */
export function bioLinkIn(url: string): { name: string; linkId: string } | undefined {
  if (url.length > maxUrlLength) return undefined
  const [, name, linkId] = bioLinkPath.exec(url) ?? []
  if (name === undefined || linkId === undefined || reserved.has(name)) return undefined
  return { name, linkId }
}

/** True for `/demo`, with any query. */
export function isDemoPath(url: string): boolean {
  return url === '/demo' || url.startsWith('/demo?') || url === '/demo/'
}

/** True for `/404`, with any query. */
export function isNotFoundPath(url: string): boolean {
  return url === '/404' || url.startsWith('/404?') || url === '/404/'
}

const slash = 0x2f
const question = 0x3f
