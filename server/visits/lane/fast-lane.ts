import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { LinkEntry } from '../names/name-entry.ts'
import type { VisitResponse } from '../responses.ts'
import type { ReadSimpleVisit, SimpleVisit } from './simple-visit.ts'

/** Deps of the fast lane. */
interface LaneVisits {
  read: ReadSimpleVisit
  /** The link to redirect this visitor to; undefined unless the response is a plain redirect. */
  find(key: string): LinkEntry | undefined | Promise<LinkEntry | undefined>
  /** Records the visit, then calls `connection.send`. */
  record(link: LinkEntry, visit: SimpleVisit, connection: LaneConnection): void
  /** Whether connections end with their next response, because the server is going down. */
  areEnding(): boolean
  /** Records a visit's response time. */
  sent(ms: number): void
  /** Reports an unexpected error; the connection is closed. */
  failed(error: unknown): void
}

/** A connection on which only plain visits have arrived so far. */
export interface LaneConnection {
  socket: Socket
  send(response: VisitResponse): void
  /** Closes the connection, after the current response. */
  finish(): void
  /** Closes a connection on which no request has arrived for too long. */
  closeIfIdle(now: number): void
}

interface Lane {
  /** Its `headersTimeout` says how long a new connection may send nothing. */
  server: Server
  visits: LaneVisits
  /** How long a client may leave its responses unread. */
  drainTimeoutMs: number
  giveToHttp(socket: Socket): void
  connections: Set<LaneConnection>
  serialize: ReturnType<typeof createRedirectWriter>
}

const idleCheckMs = 500

/**
 * Responds to plain visits (`GET /{code}` complete in one chunk, see simple-visit.ts) on the bare socket. As soon as
 * anything else arrives, node:http takes over the connection for good, with every unread byte. Both send the same bytes,
 * but node:http needs twice the processor time. See docs/decisions/0030.
 */
export function openFastLane(
  server: Server,
  visits: LaneVisits,
  { drainTimeoutMs = 10_000 }: { drainTimeoutMs?: number } = {},
): void {
  const giveToHttp = takeConnectionListener(server)
  const connections = new Set<LaneConnection>()
  const serialize = createRedirectWriter(server)
  const lane: Lane = { server, visits, drainTimeoutMs, giveToHttp, connections, serialize }
  server.on('connection', (socket: Socket) => {
    // The connection limit may have closed it (http/connection-limit.ts).
    if (socket.destroyed) return
    connections.add(openLaneConnection(socket, lane))
  })
  // A timer of each socket would be set again by every read and write.
  const idleCheck = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) connection.closeIfIdle(now)
  }, idleCheckMs).unref()
  server.once('close', () => clearInterval(idleCheck))
  // server.close() calls this, and node:http knows only its own connections.
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdle()
    for (const connection of connections) connection.finish()
  }
  const closeAll = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    closeAll()
    for (const connection of connections) connection.socket.destroy()
  }
}

/** Removes node:http's own connection listener and returns it: calling it hands a connection to node:http. */
function takeConnectionListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection')
  if (!listener) throw new Error('node:http has no connection listener')
  server.removeAllListeners('connection')
  return (socket) => void listener.call(server, socket)
}

/** Handles one request at a time. The socket is not read while a response is being prepared or is not yet sent. */
function openLaneConnection(socket: Socket, lane: Lane): LaneConnection {
  const { visits } = lane
  const { headersTimeout, keepAliveTimeout } = lane.server
  let state: 'reading' | 'responding' | 'draining' = 'reading'
  let isFinishing = false
  /** `request`: when the current one was read. In an object, because a captured number is allocated again with every change. */
  const at = { request: 0.5, idle: performance.now() }
  let idleTimeoutMs = headersTimeout
  /** Bytes that arrived before the previous request had its response. */
  let early: Buffer | undefined

  const leave = () => {
    socket.off('data', onData).off('end', finish).off('error', ignoreError).off('close', leave)
    socket.off('timeout', onTimeout).off('drain', onDrain).setTimeout(0)
    lane.connections.delete(connection)
  }
  const handOver = (chunk?: Buffer) => {
    leave()
    socket.pause()
    socket.unshift(Buffer.concat([chunk, early].filter((part) => part !== undefined)))
    early = undefined
    lane.giveToHttp(socket)
    socket.resume()
  }
  const fail = (error: unknown) => {
    visits.failed(error)
    socket.destroy()
  }
  const serve = (chunk: Buffer): void => {
    const visit = visits.read(chunk, socket)
    const link = visit && visits.find(visit.key)
    if (!visit || !link) return handOver(chunk)
    state = 'responding'
    at.request = performance.now()
    if (!(link instanceof Promise)) return visits.record(link, visit, connection)
    link
      .then((found) => {
        if (socket.destroyed) return
        if (found) visits.record(found, visit, connection)
        else handOver(chunk)
      })
      .catch(fail)
  }
  const onData = (chunk: Buffer) => {
    if (state !== 'reading') {
      early = early ? Buffer.concat([early, chunk]) : chunk
      socket.pause()
      return
    }
    if (isFinishing) return
    try {
      serve(chunk)
    } catch (error) {
      fail(error)
    }
  }
  /** After a response that the socket accepted in full. */
  const readOn = () => {
    state = 'reading'
    if (isFinishing) socket.end()
  }
  const onTimeout = () => void socket.destroy()
  const onDrain = () => {
    if (state !== 'draining') return
    if (early) return handOver()
    socket.setTimeout(0)
    at.idle = performance.now()
    readOn()
    socket.resume()
  }
  const finish = () => {
    isFinishing = true
    if (state === 'reading') socket.end()
  }
  const connection: LaneConnection = {
    socket,
    finish,
    closeIfIdle(now) {
      if (state === 'reading' && now - at.idle > idleTimeoutMs) destroyUnlessRead(socket)
    },
    send(response) {
      if (socket.destroyed) return
      at.idle = performance.now()
      idleTimeoutMs = keepAliveTimeout
      visits.sent(at.idle - at.request)
      const isLast = visits.areEnding() && !early
      if (isLast) isFinishing = true
      if (!socket.write(lane.serialize(response, isLast), 'latin1')) {
        state = 'draining'
        socket.pause()
        // Each byte that the client reads restarts this timer, so a slow reader is not cut off.
        socket.setTimeout(lane.drainTimeoutMs)
      } else if (early) handOver()
      else readOn()
    },
  }
  socket.on('data', onData).on('end', finish).on('error', ignoreError).on('close', leave)
  socket.on('timeout', onTimeout).on('drain', onDrain)
  return connection
}

/** After a busy moment of the event loop, a request may have arrived and not been read yet. */
function destroyUnlessRead(socket: Socket): void {
  const { bytesRead } = socket
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy()
  })
}

function ignoreError(): void {
  // A visitor who closes the connection is not an error; 'close' follows.
}

/** Writes redirects as node:http would, byte for byte. In one second they differ in their addresses only. */
function createRedirectWriter({ keepAliveTimeout }: Server) {
  const stays = `keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeout / 1000)}`
  const restOf = (headers: string[], isLast: boolean) => {
    const now = Date.now()
    setTimeout(() => (known = undefined), 1_000 - (now % 1_000)).unref()
    const lines = headers.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    const date = new Date(now).toUTCString()
    return `\r\n${lines}Date: ${date}\r\nConnection: ${isLast ? 'close' : stays}\r\n\r\n`
  }
  let known: { headers: string[]; isLast: boolean; rest: string } | undefined
  return ({ location = '', headers }: VisitResponse, isLast: boolean): string => {
    if (known?.headers !== headers || known.isLast !== isLast)
      known = { headers, isLast, rest: restOf(headers, isLast) }
    return `HTTP/1.1 302 Found\r\nLocation: ${location}${known.rest}`
  }
}
