import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../log.ts'
import { clientAddress, limitKey } from './client-address.ts'

export interface ConnectionLimit {
  /** Open connections per client address (per /64 network of an IPv6 one); 0 means no limit. */
  maxPerAddress: number
  /** With proxies in front, every address is a proxy's: then there is no limit here. */
  trustedProxies: number
  log: Logger
  onRefused?: () => void
}

const warningIntervalMs = 60_000
/** Connections beyond the limit that serve visits only, as a part of the limit. */
const visitReserve = 0.1
const visitsOnly = new WeakSet<Socket>()

/** True for a connection of the reserve: every request but a visit is refused there. */
export const isForVisitsOnly = (socket: Socket) => visitsOnly.has(socket)

/**
 * Keeps the connections of an address within the limit: a new one takes the place of the one that is idle for longest. When all
 * have a request under way, it joins the reserve for visits, so that one client of a network does not close redirects for the
 * others; when the reserve is busy too, it is closed before anything is read from it. Call it after every other listener is set.
 */
export function limitConnections(
  server: Server,
  { maxPerAddress, trustedProxies, log, onRefused }: ConnectionLimit,
): void {
  if (maxPerAddress === 0 || trustedProxies > 0) return
  // In the order in which they became idle; true for a connection with a request under way.
  const open = new Map<string, Map<Socket, boolean>>()
  const maxWithReserve = maxPerAddress + Math.ceil(maxPerAddress * visitReserve)
  let nextWarningAt = 0
  const warn = (address: string) => {
    if (Date.now() < nextWarningAt) return
    nextWarningAt = Date.now() + warningIntervalMs
    log.warn(
      { address, limit: maxPerAddress },
      'too many connections from one address: if it is a proxy of yours, set TRUSTED_PROXIES',
    )
  }
  const note = (socket: Socket, isBusy: boolean) => {
    const sockets = open.get(addressOf(socket))
    // Not one that was closed meanwhile.
    if (sockets?.delete(socket) === true) sockets.set(socket, isBusy)
  }
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    note(socket, true)
    response.once('close', () => note(socket, false))
  })
  server.prependListener('connection', (socket: Socket) => {
    const address = addressOf(socket)
    const sockets = open.get(address) ?? new Map<Socket, boolean>()
    if (sockets.size >= maxPerAddress) {
      warn(address)
      onRefused?.()
      const idle = findIdle(sockets)
      if (idle) {
        sockets.delete(idle)
        idle.destroy()
      } else if (sockets.size >= maxWithReserve) return void socket.destroy()
      if (sockets.size >= maxPerAddress) visitsOnly.add(socket)
    }
    open.set(address, sockets.set(socket, false))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0 && open.get(address) === sockets) open.delete(address)
    })
  })
}

const lastBytes = new WeakMap<Socket, number>()

/** One on which nothing has arrived since the last search; plain visits are no requests of node:http, so bytes tell. */
function findIdle(sockets: ReadonlyMap<Socket, boolean>): Socket | undefined {
  const idle = [...sockets].flatMap(([socket, isBusy]) => (isBusy ? [] : [socket]))
  const quiet = idle.find((socket) => lastBytes.get(socket) === socket.bytesRead)
  for (const socket of idle) lastBytes.set(socket, socket.bytesRead)
  return quiet ?? idle[0]
}

/** Remembered, because a closed socket has none. */
const addresses = new WeakMap<Socket, string>()

function addressOf(socket: Socket): string {
  let address = addresses.get(socket)
  if (address === undefined) {
    address = limitKey(clientAddress(socket.remoteAddress, undefined, 0))
    addresses.set(socket, address)
  }
  return address
}
