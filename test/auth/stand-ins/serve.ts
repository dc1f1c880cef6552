import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandIn {
  url: string
  close(): Promise<void>
}

/** A server on a free port of this machine. */
export async function serve(answer: RequestListener): Promise<StandIn> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
