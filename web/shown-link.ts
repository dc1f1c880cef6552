import { readNamedOn } from '#domain/links/link-address.ts'
import { unicodeHost } from '#domain/domains/unicode-host.ts'
import { site } from './site.ts'

/** Letters that run from right to left, at the end of a label. */
const fromTheRight = /[\u0590-\u08ff]+(?=\.|$)/g

/**
 * A host of links as people read it; null is the server's own. Labels stay in their order: a mark ends each that runs from right to
 * left, which would draw the dot, a digit or another such label to it.
 */
export function shownHost(domain: string | null): string {
  return domain === null ? site.host : unicodeHost(domain).replaceAll(fromTheRight, '$&\u200e')
}

/** The host and the name of a link or bio page as people read them. */
export function shownParts(code: string): { host: string; name: string } {
  const { name, domain } = readNamedOn(code)
  return { host: shownHost(domain), name }
}

/** An address without its scheme: `hop.example/menu`, or `go.example/menu` on a domain. */
export function shownLink(code: string): string {
  const { host, name } = shownParts(code)
  return `${host}/${name}`
}

/** The same where most links are on the server's own host, which is left out: `/menu`. */
export function shownCode(code: string): string {
  return readNamedOn(code).domain === null ? `/${code}` : shownLink(code)
}

/** The same in a sentence: `menu`, or `go.example/menu`. */
export function shownName(code: string): string {
  return readNamedOn(code).domain === null ? code : shownLink(code)
}
