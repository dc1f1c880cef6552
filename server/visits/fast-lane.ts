import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Answer } from './answer.ts'
import { wireOf } from './answer-wire.ts'
import type { LinkEntry } from './entry.ts'
import { readSimpleVisit, type SimpleVisit } from './simple-visit.ts'

/** What the lane asks door 4. */
export interface LaneVisits {
  /** False while some address is blocked: then each request has to be looked at closely. */
  mayServe(): boolean
  /** The link to send this visitor to; undefined when it is anything but a plain redirect. */
  find(name: string): LinkEntry | undefined | Promise<LinkEntry | undefined>
  record(link: LinkEntry, visit: SimpleVisit, lane: LaneConnection): void
  /** Told of what should never happen; the connection is closed. */
  failed(error: unknown): void
}

/** A connection whose requests so far were all plain visits. */
export interface LaneConnection {
  send(answer: Answer): void
}

/**
 * Answers plain visits (`GET /{code}` complete in one chunk, see simple-visit.ts) on the bare socket, and hands the
 * connection with every unread byte to node:http, for good, as soon as anything else arrives. Both give the same
 * bytes; node:http spends twice the time on them. See docs/decisions/0030.
 */
export function openFastLane(server: Server, visits: LaneVisits): void {
  const giveToHttp = takeConnectionListener(server)
  const connections = new Set<Connection>()
  server.on('connection', (socket: Socket) => {
    connections.add(openConnection(socket))
  })
  // server.close() calls this for connections that wait for a request: it has to know of ours.
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

  interface Connection extends LaneConnection {
    socket: Socket
    /** Closes it, after the answer under way. */
    finish(): void
  }

  function openConnection(socket: Socket): Connection {
    let isWaiting = false
    let isLast = false
    let isKnown = false
    let early: Buffer | undefined

    const leave = () => {
      connections.delete(connection)
      socket.off('data', onData).off('end', finish).off('error', ignore).off('timeout', onTimeout)
      socket.off('close', leave).setTimeout(0)
    }
    const handOver = (chunk: Buffer) => {
      leave()
      socket.pause()
      socket.unshift(early ? Buffer.concat([chunk, early]) : chunk)
      early = undefined
      giveToHttp(socket)
      socket.resume()
    }
    const serve = (chunk: Buffer): void => {
      const visit = visits.mayServe() ? readSimpleVisit(chunk) : undefined
      const link = visit && visits.find(visit.name)
      if (!visit || !link) return handOver(chunk)
      isWaiting = true
      if (!(link instanceof Promise)) return visits.record(link, visit, connection)
      link
        .then((found) => {
          if (socket.destroyed) return
          if (found) return visits.record(found, visit, connection)
          isWaiting = false
          handOver(chunk)
        })
        .catch(fail)
    }
    const onData = (chunk: Buffer) => {
      if (isWaiting) {
        // Sent before the answer to the request before it: order matters, so it waits, and the sender too.
        early = early ? Buffer.concat([early, chunk]) : chunk
        socket.pause()
      } else if (!isLast) {
        try {
          serve(chunk)
        } catch (error) {
          fail(error)
        }
      }
    }
    const fail = (error: unknown) => {
      visits.failed(error)
      socket.destroy()
    }
    const finish = () => {
      isLast = true
      if (!isWaiting) socket.end()
    }
    const onTimeout = () => {
      if (!isWaiting) socket.destroy()
    }
    const connection: Connection = {
      socket,
      finish,
      send(answer) {
        isWaiting = false
        if (socket.destroyed) return
        socket.write(wireOf(answer, server.keepAliveTimeout), 'latin1')
        if (!isKnown) {
          // From now on idle time counts; each read and write starts it anew.
          isKnown = true
          socket.setTimeout(server.keepAliveTimeout)
        }
        if (early) {
          const chunk = early
          early = undefined
          handOver(chunk)
        } else if (isLast) socket.end()
      },
    }
    // A connection that sends nothing is closed as early as one that does not finish its headers.
    socket.setTimeout(server.headersTimeout)
    socket.on('data', onData).on('end', finish).on('error', ignore).on('timeout', onTimeout)
    socket.on('close', leave)
    return connection
  }
}

/** Takes over from the listener that node:http put there itself; calling it makes a connection one of its own. */
function takeConnectionListener(server: Server): (socket: Socket) => void {
  const [listener] = server.listeners('connection')
  if (!listener) throw new Error('node:http has no connection listener')
  server.removeAllListeners('connection')
  return (socket) => void listener.call(server, socket)
}

function ignore(): void {
  // A visitor who hangs up is no error; 'close' follows.
}
