import { Agent, request } from 'node:http'

export interface VisitAnswer {
  status: number
  /** Header names and values as received, including repeated ones. */
  rawHeaders: string[]
  location: string | undefined
  header(name: string): string | undefined
  body: string
}

export const browser =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'

const agent = new Agent({ keepAlive: true, maxSockets: 50 })

/** Requests `target` unchanged (fetch would normalize it), by default as a browser. Follows no redirect. */
export function visit(
  base: string,
  target: string,
  options: { method?: string; headers?: Record<string, string | string[]>; agent?: Agent } = {},
): Promise<VisitAnswer> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        hostname,
        port,
        path: target,
        method: options.method ?? 'GET',
        headers: { 'user-agent': browser, ...options.headers },
        agent: options.agent ?? agent,
      },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            rawHeaders: answer.rawHeaders,
            location: answer.headers.location,
            header: (name) => {
              const value = answer.headers[name.toLowerCase()]
              return Array.isArray(value) ? value.join(', ') : value
            },
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
