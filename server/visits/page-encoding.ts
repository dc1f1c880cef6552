import type { IncomingMessage } from 'node:http'
import type { PageResponse, VisitResponse } from './responses.ts'

/** The page in the encoding that this client accepts. Raw headers, because the parsed ones cost more. */
export function chooseEncoding(page: PageResponse, { rawHeaders }: IncomingMessage): VisitResponse {
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 15 && name.toLowerCase() === 'accept-encoding') {
      return /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?(?:[,\s]|$))/i.test(rawHeaders[i + 1] ?? '')
        ? page.gzip
        : page.plain
    }
  }
  return page.plain
}
