import type { Answer } from './answer.ts'

let second = -1
let date = ''

/**
 * An answer as node:http would write it on a connection that stays open, byte for byte.
 *
 * @param keepAliveTimeout of the server, in milliseconds
 */
export function wireOf({ headers, body }: Answer, keepAliveTimeout: number): string {
  let head = 'HTTP/1.1 302 Found\r\n'
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  return `${head}Date: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}\r\n\r\n${body.toString()}`
}

function dateNow(): string {
  const now = Math.floor(Date.now() / 1000)
  if (now !== second) {
    second = now
    date = new Date().toUTCString()
  }
  return date
}
