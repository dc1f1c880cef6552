import type { IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { PublicPage } from '../http/public-page.ts'
import { pageHeaders, type PublicSite } from '../http/security-headers.ts'
import { type VisitResponse, withHeaders } from './responses.ts'

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

/** Keeps rendered pages by their input, which is another object after each change. */
export function createPageCache<Input extends object | string>(site: PublicSite, maxBytes: number) {
  const rendered = new LRUCache<Input, PageResponse>({
    maxSize: maxBytes,
    sizeCalculation: ({ plain, gzip }) => plain.body.length + gzip.body.length + overheadBytes,
  })
  return (
    input: Input,
    { rawHeaders }: IncomingMessage,
    head: PageHead,
    page: (publicUrl: string) => PublicPage,
  ): VisitResponse => {
    let response = rendered.get(input)
    if (!response) {
      response = responseWith(page(site.publicUrl), head, site)
      rendered.set(input, response)
    }
    return acceptsGzip(rawHeaders) ? response.gzip : response.plain
  }
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

const headersOf = ({ policy }: PublicPage, { headers }: PageHead) => ({
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
