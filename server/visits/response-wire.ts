import type { VisitResponse } from './responses.ts'

let cachedSecond = -1
let cachedDate = ''

/**
 * A redirect as node:http would write it on a connection that stays open, byte for byte.
 *
 * @param keepAliveTimeoutMs of the server
 */
export function serializeRedirect(
  { headers, body }: VisitResponse,
  keepAliveTimeoutMs: number,
): string {
  let head = 'HTTP/1.1 302 Found\r\n'
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}Date: ${httpDate()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n\r\n${body.toString()}`
}

function httpDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== cachedSecond) {
    cachedSecond = second
    cachedDate = new Date().toUTCString()
  }
  return cachedDate
}
