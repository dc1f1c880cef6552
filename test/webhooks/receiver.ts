import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a receiver got. */
export interface Arrival {
  id: string
  headers: Record<string, string>
  body: string
  /** Whether it was answered with a status that takes it. */
  accepted: boolean
}

/** How a receiver answers. `hang`: never; `huge`: 200 and a gigabyte; `reset`: closes the connection. */
export type Behavior = number | 'hang' | 'huge' | 'reset'

export interface Receiver {
  url: string
  arrivals: Arrival[]
  /** For each request that comes. */
  behave: (arrival: Arrival) => Behavior
  /** Headers of answers with a status. */
  answerHeaders: Record<string, string>
  /** Connections that came, requests or not. */
  connections: number
  /** Bytes of huge answers that were taken from it. */
  sentBytes: number
  /** Closes the port and opens it again. */
  restart(downMs: number): Promise<void>
  close(): Promise<void>
}

/** Receives webhooks at 127.0.0.1, and at every other address of this machine. */
export async function startReceiver(): Promise<Receiver> {
  let server: Server
  let port = 0
  const open = async () => {
    server = createServer((request, response) => void take(request, response))
    server.on('connection', () => receiver.connections++)
    await new Promise<void>((resolve) => server.listen(port, '::', resolve))
    port = (server.address() as AddressInfo).port
  }
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    response.on('error', () => {})
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    } catch {
      return
    }
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const arrival: Arrival = {
      id: headers['webhook-id'] ?? '',
      headers,
      body: Buffer.concat(chunks).toString('utf8'),
      accepted: false,
    }
    receiver.arrivals.push(arrival)
    const behavior = receiver.behave(arrival)
    if (behavior === 'hang') return
    if (behavior === 'reset') return void request.socket.destroy()
    arrival.accepted = behavior === 'huge' || (behavior >= 200 && behavior < 300)
    if (behavior === 'huge') return sendGigabyte(response)
    response.writeHead(behavior, receiver.answerHeaders).end(`answered ${behavior}`)
  }
  const sendGigabyte = (response: ServerResponse) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let left = 2 ** 30 / chunk.length
    const send = () => {
      while (left-- > 0 && !response.destroyed) {
        receiver.sentBytes += chunk.length
        if (!response.write(chunk)) return void response.once('drain', send)
      }
      response.end()
    }
    response.writeHead(200)
    send()
  }
  const receiver: Receiver = {
    url: '',
    arrivals: [],
    behave: () => 200,
    answerHeaders: {},
    connections: 0,
    sentBytes: 0,
    async restart(downMs) {
      await shut()
      await new Promise((resolve) => setTimeout(resolve, downMs))
      await open()
    },
    close: shut,
  }
  await open()
  receiver.url = `http://127.0.0.1:${port}/hook`
  return receiver
}
