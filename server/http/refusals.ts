import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../log.ts'

/** Names a refused request and logs one line about it, as app.ts does for those that reach it. Returns the name. */
export function logRefusal(
  log: Logger,
  request: Pick<IncomingMessage, 'method' | 'url' | 'socket'>,
  status: number,
): string {
  const requestId = randomUUID()
  const path = (request.url ?? '').split('?', 1)[0]?.slice(0, 200)
  const address = request.socket.remoteAddress
  log.info({ request_id: requestId, method: request.method, path, status, address }, 'refused')
  return requestId
}

/** 414 before anything looks at a target of that length. */
export function refuseLongTarget(
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const requestId = logRefusal(log, request, 414)
  response.writeHead(414, { ...closing(requestId), 'Content-Length': '0' }).end()
}

/** 400 for a request that no URL can be made of (a hostile Host header). */
export function malformedRequest(log: Logger, error: unknown): Response {
  const requestId = randomUUID()
  log.info({ request_id: requestId, status: 400, reason: reasonOf(error) }, 'refused')
  return new Response(null, { status: 400, headers: closing(requestId) })
}

/** Answers what node:http could not read as a request: 400, 408 (too slow) or 431 (headers too large). */
export function answerUnreadable(server: Server, log: Logger): void {
  server.on('clientError', (error: Error & { code?: string }, socket: Socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const [status, text] = statusOf(error.code)
    const requestId = randomUUID()
    log.info(
      { request_id: requestId, status, reason: error.code, address: socket.remoteAddress },
      'refused',
    )
    const headers = Object.entries(closing(requestId)).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    )
    socket.end(`HTTP/1.1 ${status} ${text}\r\n${headers.join('')}Content-Length: 0\r\n\r\n`)
  })
}

function statusOf(code: string | undefined): [number, string] {
  if (code === 'HPE_HEADER_OVERFLOW') return [431, 'Request Header Fields Too Large']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return [408, 'Request Timeout']
  return [400, 'Bad Request']
}

function closing(requestId: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    Connection: 'close',
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'unknown'
}
