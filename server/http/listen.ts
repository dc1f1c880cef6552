import { type AddressInfo, Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../primitives/error-code.ts'

const advice: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has that port. Stop it, or choose another port.',
  EACCES: 'this user may not have that port. Choose one above 1023.',
  EADDRNOTAVAIL: 'this machine does not have that address.',
}

/** Starts listening; resolves with the address; with port 0 the system chooses its port. */
export function listenOn(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error) => {
      const why = advice[errorCode(cause) ?? ''] ?? cause.message
      reject(new Error(`it cannot listen on ${host}:${port}: ${why}`, { cause }))
    }
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** For example `http://127.0.0.1:3000`. */
export function urlOfListener({ family, address, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/**
 * Accepts no more connections. Those that are open get `Connection: close` with their next response, because a request
 * that meets a connection being closed would fail. Waits until all are closed, or `graceMs`.
 */
export async function stopAccepting(server: Server, graceMs: number): Promise<void> {
  if (graceMs === 0) return
  const timer = new AbortController()
  // The method of node:http would close idle connections at once.
  Server.prototype.close.call(server, () => timer.abort())
  await sleep(graceMs, undefined, { signal: timer.signal }).catch(() => {})
}
