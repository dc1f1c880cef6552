import type { Socket } from 'node:net'
import type { LinkEntry } from './name-entry.ts'
import { serializeRedirect } from './response-wire.ts'
import type { VisitResponse } from './responses.ts'
import { readSimpleVisit, type SimpleVisit } from './simple-visit.ts'

/** What the fast lane needs from the visits. */
export interface LaneVisits {
  /** The link to redirect this visitor to; undefined unless the response is a plain redirect. */
  find(name: string): LinkEntry | undefined | Promise<LinkEntry | undefined>
  /** Records the visit, then calls `connection.send`. */
  record(link: LinkEntry, visit: SimpleVisit, connection: LaneConnection): void
  /** Reports an unexpected error; the connection is closed. */
  failed(error: unknown): void
}

/** A connection on which only plain visits have arrived so far. */
export interface LaneConnection {
  socket: Socket
  send(response: VisitResponse): void
  /** Closes the connection, after the current response. */
  finish(): void
}

export interface LaneConnectionOptions {
  visits: LaneVisits
  /** How long a new connection may send nothing. */
  firstRequestTimeoutMs: number
  /** How long a connection may be idle after a response. */
  keepAliveTimeoutMs: number
  /** How long a client may leave its responses unread. */
  drainTimeoutMs: number
  giveToHttp(socket: Socket): void
  onLeave(connection: LaneConnection): void
}

/** Handles one request at a time. The socket is not read while a response is being prepared or is not yet sent. */
export function openLaneConnection(socket: Socket, options: LaneConnectionOptions): LaneConnection {
  const { visits, keepAliveTimeoutMs } = options
  let state: 'reading' | 'responding' | 'draining' = 'reading'
  let isFinishing = false
  let timeoutMs = options.firstRequestTimeoutMs
  /** Bytes that arrived before the previous request had its response. */
  let early: Buffer | undefined

  const leave = () => {
    socket.off('data', onData).off('end', finish).off('error', ignoreError).off('close', leave)
    socket.off('timeout', onTimeout).off('drain', onDrain).setTimeout(0)
    options.onLeave(connection)
  }
  const setIdleTimeout = (wantedMs: number) => {
    if (timeoutMs !== wantedMs) socket.setTimeout((timeoutMs = wantedMs))
  }
  const handOver = (chunk: Buffer) => {
    leave()
    socket.pause()
    socket.unshift(early ? Buffer.concat([chunk, early]) : chunk)
    early = undefined
    options.giveToHttp(socket)
    socket.resume()
  }
  const fail = (error: unknown) => {
    visits.failed(error)
    socket.destroy()
  }
  const serve = (chunk: Buffer): void => {
    const visit = readSimpleVisit(chunk)
    const link = visit && visits.find(visit.name)
    if (!visit || !link) return handOver(chunk)
    state = 'responding'
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
    setIdleTimeout(keepAliveTimeoutMs)
    if (isFinishing) socket.end()
  }
  const onDrain = () => {
    if (state !== 'draining') return
    if (early) return handOver(takeEarly())
    readOn()
    socket.resume()
  }
  const takeEarly = () => {
    const chunk = early ?? Buffer.alloc(0)
    early = undefined
    return chunk
  }
  const finish = () => {
    isFinishing = true
    if (state === 'reading') socket.end()
  }
  const onTimeout = () => {
    // Each byte that the client reads restarts this timer, so a slow reader is not cut off.
    if (state !== 'responding') socket.destroy()
  }
  const connection: LaneConnection = {
    socket,
    finish,
    send(response) {
      if (socket.destroyed) return
      if (!socket.write(serializeRedirect(response, keepAliveTimeoutMs), 'latin1')) {
        state = 'draining'
        socket.pause()
        setIdleTimeout(options.drainTimeoutMs)
      } else if (early) handOver(takeEarly())
      else readOn()
    },
  }
  socket.setTimeout(timeoutMs)
  socket.on('data', onData).on('end', finish).on('error', ignoreError).on('close', leave)
  socket.on('timeout', onTimeout).on('drain', onDrain)
  return connection
}

function ignoreError(): void {
  // A visitor who closes the connection is not an error; 'close' follows.
}
