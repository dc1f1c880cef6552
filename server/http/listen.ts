import type { AddressInfo, Server } from 'node:net'

/** Starts listening; resolves with the address, whose port only the system knows if 0 was asked for. */
export function listenOn(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve(server.address() as AddressInfo)
    })
  })
}

/** For example `http://127.0.0.1:3000`. */
export function urlOfListener({ family, address, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
