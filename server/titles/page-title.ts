import { linkTexts } from '#domain/links/link-limits.ts'
import { decodeReferences } from '#domain/texts/character-references.ts'
import type { getFromEndpoint } from '../webhooks/post.ts'

const maxRedirects = 3

interface PageReader {
  getPublic: typeof getFromEndpoint
  userAgent: string
  /** For the page and its redirects together. */
  timeoutMs: number
}

/**
 * Reads the `<title>` of a page at a public https address. Each redirect is checked like the first address.
 *
 * @returns at most 200 characters; null when the page has no title or is not HTML; undefined when it could not be read
 */
export async function readPageTitle(
  address: string,
  { getPublic, userAgent, timeoutMs }: PageReader,
): Promise<string | null | undefined> {
  const deadline = Date.now() + timeoutMs
  const headers = { accept: 'text/html', 'user-agent': userAgent }
  let url = new URL(address)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    url.hash = ''
    const leftMs = Math.max(deadline - Date.now(), 1)
    const result = await getPublic(url.href, { headers, timeoutMs: leftMs, allowsPrivate: false })
    if ('error' in result) return undefined
    const { status, location, contentType, answer } = result
    if (status < 300 || status > 399 || location === undefined) {
      if (status !== 200) return undefined
      return /^text\/html\s*(?:;|$)/i.test(contentType ?? '') ? titleOf(answer) : null
    }
    if (!URL.canParse(location, url)) return undefined
    url = new URL(location, url)
  }
  return undefined
}

/** Takes no longer for a hostile document than for another one: no expression here looks back. */
function titleOf(html: string): string | null {
  const tag = /<title[\s>]/i.exec(html)
  if (!tag) return null
  const start = html.indexOf('>', tag.index) + 1
  if (start === 0) return null
  const rest = html.slice(start)
  const end = rest.search(/<\/title/i)
  if (end === -1) return null
  const text = decodeReferences(rest.slice(0, end))
    .replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ')
    .trim()
  const title = Array.from(text).slice(0, linkTexts.title.maxLength).join('').trim()
  return title === '' ? null : title
}
