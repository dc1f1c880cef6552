import type { IncomingMessage } from 'node:http'
import type { PageResponse, VisitResponse } from './responses.ts'

/** Chooses the encoding that the client accepts. Reads the raw headers, because parsing them costs more. */
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
