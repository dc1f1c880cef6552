import { checkDestination } from '#domain/links/destinations.ts'

/** The URL if a page may link to it, else ''. */
export function followableUrl(url: string | null): string {
  return url !== null && checkDestination(url, { ownHosts: [] }).ok ? url : ''
}

/** The address if a page may show its picture. Our own store contains no SVG. For other hosts only the name can tell, which is enough: an <img> runs no script. */
export function imageOf(url: string | null): string | null {
  if (url === null) return null
  if (/^\/media\/[A-Za-z0-9_/-]+\.(png|jpe?g|webp)$/.test(url)) return url
  const isPicture = url.startsWith('https:') && !/\.svgz?([?#]|$)/i.test(url)
  return isPicture ? followableUrl(url) || null : null
}

/** The stored text goes into a header unchanged, so it must also be printable ASCII. */
export function mayFollow(destination: string, ownHosts: readonly string[]): boolean {
  return /^[!-~]+$/.test(destination) && checkDestination(destination, { ownHosts }).ok
}
