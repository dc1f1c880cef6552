import type { IncomingMessage } from 'node:http'
import type { VisitResponse, PageResponse } from './responses.ts'

/** The form of a page that this client reads. Raw headers, as everywhere on this path. */
export function inForm(page: PageResponse, { rawHeaders }: IncomingMessage): VisitResponse {
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
