import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type LaneConnection, type LaneVisits, openLaneConnection } from './lane-connection.ts'

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
  server.on('connection', (socket: Socket) => {
    // The connection limit may have closed it (http/connection-limit.ts).
    if (socket.destroyed) return
    const connection = openLaneConnection(socket, {
      visits,
      firstRequestTimeoutMs: server.headersTimeout,
      keepAliveTimeoutMs: server.keepAliveTimeout,
      drainTimeoutMs,
      giveToHttp,
      onLeave: (left) => connections.delete(left),
    })
    connections.add(connection)
  })
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
