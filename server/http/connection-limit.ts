import type { Server } from 'node:http'
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

/** Closes each connection beyond the limit before anything is read from it. Call it after every other listener is set. */
export function limitConnections(
  server: Server,
  { maxPerAddress, trustedProxies, log, onRefused }: ConnectionLimit,
): void {
  if (maxPerAddress === 0 || trustedProxies > 0) return
  const open = new Map<string, number>()
  let nextWarningAt = 0
  const warn = (address: string) => {
    if (Date.now() < nextWarningAt) return
    nextWarningAt = Date.now() + warningIntervalMs
    log.warn(
      { address, limit: maxPerAddress },
      'too many connections from one address: if it is a proxy of yours, set TRUSTED_PROXIES',
    )
  }
  server.prependListener('connection', (socket: Socket) => {
    const address = limitKey(clientAddress(socket.remoteAddress, undefined, 0))
    const count = open.get(address) ?? 0
    if (count >= maxPerAddress) {
      warn(address)
      onRefused?.()
      socket.destroy()
      return
    }
    open.set(address, count + 1)
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1
      if (left > 0) open.set(address, left)
      else open.delete(address)
    })
  })
}
