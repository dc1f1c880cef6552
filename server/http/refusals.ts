import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../log.ts'
import { networkOf } from './client-address.ts'
import { dataPolicy } from './security-headers.ts'
import { errorMessage } from '../primitives/caught-error.ts'

type RequestFacts = Pick<IncomingMessage, 'method' | 'url' | 'socket'>

/** Logs one line about a refused request, as app.ts does for those that reach it. Returns the request id. */
export function logRefusal(
  log: Logger,
  { method, url = '', socket }: RequestFacts,
  status: number,
) {
  const path = url.split('?', 1)[0]?.slice(0, 200)
  return logRefused(log, { method, path, status, network: networkOf(socket.remoteAddress) })
}

function logRefused(log: Logger, facts: Record<string, unknown>): string {
  const requestId = randomUUID()
  log.info({ request_id: requestId, ...facts }, 'refused')
  return requestId
}

/**
 * Requests that node:http accepts and others read differently: an HTTP version that is neither 1.0 nor 1.1, and more
 * than one Host header.
 */
export function isAmbiguous({ httpVersion, rawHeaders }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return true
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? ''
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/**
 * 400, 414 before anything looks at a target of that length, or 429 on a connection for visits only, in the shape of the door
 * that the target begins with.
 */
export function refuseRequest(
  status: 400 | 414 | 429,
  log: Logger,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { headers, body } = answerOf(status, logRefusal(log, request, status), request.url)
  response.writeHead(status, headers).end(body)
}

/** 400 for a request that no URL can be made of (a hostile Host header). */
export function malformedRequest(log: Logger, error: unknown): Response {
  const reason = errorMessage(error).slice(0, 200)
  const { headers, body } = answerOf(400, logRefused(log, { status: 400, reason }))
  return new Response(body, { status: 400, headers })
}

/** Responds to data that node:http could not parse as a request: 400, 408 (too slow) or 431 (headers too large). */
export function answerUnreadable(
  server: Server,
  log: Logger,
  onRefused?: (status: number) => void,
): void {
  server.on('clientError', (error: Unreadable, socket: Socket) => {
    // Bytes after a request that was the last of its connection: its response is on the way and ends the connection.
    if (error.code === 'HPE_CLOSED_CONNECTION') return
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    const status = statuses.get(error.code) ?? 400
    onRefused?.(status)
    const facts = { status, reason: error.code, network: networkOf(socket.remoteAddress) }
    const { headers, body } = answerOf(status, logRefused(log, facts))
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`
    // A client that sent HEAD would read a body as the start of its next response.
    const isHead = error.rawPacket?.toString('latin1', 0, 5) === 'HEAD '
    socket.end(isHead ? head : head + body)
  })
}

type Unreadable = Error & { code?: string; rawPacket?: Buffer }

/** Statuses by the codes of node:http; 400 for the others. */
const statuses = new Map<string | undefined, keyof typeof errors>([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
])

const errors = {
  400: { code: 'bad_request', message: 'The request could not be read' },
  408: { code: 'request_timeout', message: 'The request did not arrive in time' },
  414: { code: 'uri_too_long', message: 'The address of the request is too long' },
  429: { code: 'too_many_connections', message: 'Too many connections from this address' },
  431: { code: 'headers_too_large', message: 'The headers of the request are too large' },
} as const

/**
 * A body that the clients of the door can read, though no door has seen the request. `code` and `message` are the auth
 * protocol's shape. They are also the default, because the table door's clients read them too.
 */
function bodyOf(status: keyof typeof errors, target = ''): string {
  const { code, message } = errors[status]
  if (target.startsWith('/rest/v1/'))
    return JSON.stringify({ code, details: null, hint: null, message })
  if (/^\/(functions\/v1|media|report)\//.test(target)) return JSON.stringify({ error: message })
  return JSON.stringify({ code, message })
}

/** Pages of other origins may read it, as they may read the doors' own responses. */
function answerOf(status: keyof typeof errors, requestId: string, target?: string) {
  const body = bodyOf(status, target)
  const headers: Record<string, string> = {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': dataPolicy,
    Connection: 'close',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    // The auth protocol's, without which its clients look for an older body.
    'X-Supabase-Api-Version': '2024-01-01',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': 'X-Request-Id, X-Supabase-Api-Version',
  }
  return { headers, body }
}
