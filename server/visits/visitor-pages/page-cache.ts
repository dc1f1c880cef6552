import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { hostOf } from '#public-pages/link/host-of.ts'
import type { PublicPage } from '../../http/public-page.ts'
import type { PublicSite } from '../../http/public-site.ts'
import { pageHeaders } from '../../http/security-headers.ts'
import { escapeMarkup } from '../../primitives/escape-markup.ts'
import type { BioEntry, GoneEntry, LinkEntry } from '../names/name-entry.ts'
import { type VisitResponse, withHeaders } from '../responses.ts'

/** A page in both encodings, so that no visitor waits for the compression. */
interface PageResponse {
  plain: VisitResponse
  gzip: VisitResponse
}

/** Headers and bookkeeping of one rendered page, roughly. */
const overheadBytes = 2_000

/** Status and headers of a page beside those that each page has. */
export interface PageHead {
  status: number
  headers: Readonly<Record<string, string>>
}

/** The page for the root of a place, or for its unknown paths. */
export interface PlacePage {
  kind: 'root' | 'unknown-path'
  /** Undefined on the own host. */
  site: PublicSite | undefined
}

/** Input of a rendered page. */
export type Rendered = LinkEntry | BioEntry | GoneEntry | PlacePage | 'demo'

/** Where a page is shown. */
export type ShownAt = Pick<PublicSite, 'publicUrl' | 'appUrl'>

/** The addresses of its place for a page. */
export function shownAt({ publicUrl, appUrl }: ShownAt): ShownAt {
  return { publicUrl, ...(appUrl !== undefined && { appUrl }) }
}

/** The site of the domain that a page is on, or the own one. */
export function siteOf(input: Rendered, own: PublicSite): PublicSite {
  return typeof input === 'string' ? own : (input.site ?? own)
}

/** Keeps rendered pages by the content of their entry. */
export function createPageCache<Input extends Rendered>(site: PublicSite, maxBytes: number) {
  const responseOf = createContentCache<Input, PageResponse>(
    maxBytes,
    ({ plain, gzip }) => plain.body.length + gzip.body.length,
  )
  return (
    input: Input,
    { rawHeaders }: IncomingMessage,
    head: PageHead,
    page: (at: ShownAt) => PublicPage,
  ): VisitResponse => {
    const at = siteOf(input, site)
    const { gzip, plain } = responseOf(input, () => responseWith(page(at), head, at))
    return acceptsGzip(rawHeaders) ? gzip : plain
  }
}

/** A page with gaps for an address and its host. */
interface PageTemplate extends Pick<PublicPage, 'policy'> {
  /** Texts of the page in UTF-8, with the gaps between them. */
  parts: readonly (Buffer | 'address' | 'host')[]
}

/** Keeps rendered pages with gaps for an address that differs between visits: rendering takes as long as twenty redirects. */
export function createAddressPageCache<Input extends Rendered>(site: PublicSite, maxBytes: number) {
  /** A host that no page names. */
  const mark = `${randomUUID()}.invalid`
  const marks = new RegExp(`(https://${mark}/|${mark})`)
  const templateOf = createContentCache<Input, PageTemplate>(maxBytes, ({ parts }) =>
    parts.reduce((sum, { length }) => sum + length, 0),
  )
  return (
    input: Input,
    address: string,
    head: PageHead,
    page: (address: string, at: ShownAt) => PublicPage,
  ): VisitResponse => {
    const at = siteOf(input, site)
    const { parts, policy } = templateOf(input, () => {
      const { html, ...others } = page(`https://${mark}/`, at)
      const texts = html.split(marks)
      return {
        parts: texts.map((text, i) =>
          i % 2 === 0 ? Buffer.from(text) : text === mark ? 'host' : 'address',
        ),
        ...others,
      }
    })
    const gaps = {
      address: Buffer.from(escapeMarkup(address)),
      host: Buffer.from(escapeMarkup(hostOf(address))),
    }
    const body = parts.map((part) => (typeof part === 'string' ? gaps[part] : part))
    return withHeaders(head.status, at, Buffer.concat(body), headersOf({ policy }, head))
  }
}

/**
 * Keeps things that are made of an entry by its content. A link with a maximum of clicks is another entry each time when its clicks are
 * counted, and its pages are the same.
 */
function createContentCache<Input extends Rendered, Made extends object>(
  maxBytes: number,
  bytesOf: (made: Made) => number,
) {
  const contents = new WeakMap<object, string>()
  const made = new LRUCache<string, Made>({
    maxSize: maxBytes,
    sizeCalculation: (each, content) => bytesOf(each) + content.length + overheadBytes,
  })
  return (input: Input, make: () => Made): Made => {
    let content = typeof input === 'string' ? input : contents.get(input)
    if (content === undefined) {
      content = JSON.stringify(shownPartsOf(input))
      if (typeof input !== 'string') contents.set(input, content)
    }
    let known = made.get(content)
    if (!known) made.set(content, (known = make()))
    return known
  }
}

/** Everything of an entry that a page may depend on: of a link neither its clicks nor the content of its rules. */
function shownPartsOf(entry: Rendered): unknown {
  if (typeof entry === 'string' || entry.kind !== 'link') return entry
  const { key, destination, title, popup, options } = entry
  const others = options && { ...options, clicks: 0, ruling: options.ruling !== undefined }
  return { key, destination, title, popup, options: others }
}

function responseWith(page: PublicPage, head: PageHead, site: PublicSite): PageResponse {
  const plain = unzippedPage(page, head, site)
  const gzip = gzipSync(plain.body, { level: 9 })
  const headers = { ...headersOf(page, head), 'Content-Encoding': 'gzip' }
  return { plain, gzip: withHeaders(head.status, site, gzip, headers) }
}

/** A page that is made for one visitor, without compression. */
export function unzippedPage(page: PublicPage, head: PageHead, site: PublicSite): VisitResponse {
  return withHeaders(head.status, site, Buffer.from(page.html), headersOf(page, head))
}

const headersOf = ({ policy }: Pick<PublicPage, 'policy'>, { headers }: PageHead) => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': policy,
  ...pageHeaders,
  ...headers,
  Vary: 'Accept-Encoding',
})

/** Reads the raw headers, because parsing them costs more. */
function acceptsGzip(rawHeaders: readonly string[]): boolean {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 15 && name.toLowerCase() === 'accept-encoding')
      return /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?(?:[,\s]|$))/i.test(rawHeaders[i + 1] ?? '')
  }
  return false
}
