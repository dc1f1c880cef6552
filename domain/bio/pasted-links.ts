import { bioLimits, linkAddress } from './bio-form.ts'
import { isVisible } from '#domain/forms/visible-text.ts'

export interface PastedLink {
  readonly title: string
  readonly url: string
}

/**
 * The links in a text of several lines, at most as many as a page holds. A line has an address, with or without a title
 * before it; a line without one is the title of the next address. Without a title there is the host.
 *
 * @returns null if the text is a single line or contains no address
 */
export function pastedLinks(text: string): PastedLink[] | null {
  const lines = text.split(/\r\n?|\n/).map((line) => line.trim())
  const filled = lines.filter((line) => line !== '').slice(0, 2 * bioLimits.links)
  if (filled.length < 2) return null
  const links: PastedLink[] = []
  let heading = ''
  for (const line of filled) {
    const found = addressAtEnd(line)
    if (found === null) {
      heading = line
      continue
    }
    const title = found.title === '' ? heading : found.title
    const shown = title === '' ? new URL(found.url).host.replace(/^www\./, '') : title
    links.push({ title: shown.slice(0, bioLimits.linkTitle), url: found.url })
    heading = ''
  }
  return links.length === 0 ? null : links.slice(0, bioLimits.links)
}

/** A line is 'Title, separator, address' or the address alone. An address has a dot or a scheme. */
function addressAtEnd(line: string): PastedLink | null {
  const [, before = '', last = ''] = /^(.*?)(\S+)$/.exec(line) ?? []
  const isAddress = /^https?:\/\//i.test(last) || /^[^\s/:]+\.[a-z]{2,}(?:[/:?#]|$)/i.test(last)
  const url = isAddress ? linkAddress(last) : null
  if (url === null) return null
  const title = before.replace(/[\s,;:|–—-]+$/, '')
  return { title: isVisible(title) ? title : '', url }
}
