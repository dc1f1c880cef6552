import { Agent, request } from 'node:http'
import { cpuOfFirstThread } from '../shared/cpu.ts'
import { type BenchServer, startBenchServer } from '../shared/built-server.ts'
import { type BenchUser, signUp } from '../shared/people.ts'
import { freePort } from '#test/free-port.ts'

/** A server with an account, without rate limits: a bench sends in a minute the requests of an hour. */
export interface MeasuredServer {
  url: string
  person: BenchUser
  /** Sends requests; each gets its number. @returns microseconds of the thread that answers, for one of them */
  costOf(count: number, send: (n: number) => Promise<unknown>, senders?: number): Promise<number>
  /** Longest pause of the event loop while `work` ran, in milliseconds. */
  pauseDuring(work: () => Promise<unknown>): Promise<number>
  database: BenchServer['database']
  visit(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; location: string }>
  ask<Answer>(path: string, body: unknown, options?: AskOptions): Promise<Answer>
  close(): Promise<void>
}

interface AskOptions {
  method?: string
  /** Statuses besides 2xx that are no failure. */
  allowed?: number[]
  headers?: Record<string, string>
}

const connections = 16
/** The histogram of delays looks at the loop every 10 ms, and counts them. */
const resolutionMs = 10

export async function startMeasuredServer(): Promise<MeasuredServer> {
  const adminPort = await freePort()
  const server = await startBenchServer({
    env: { RATE_LIMITS: 'off', TRUSTED_PROXIES: '1', ADMIN_PORT: String(adminPort) },
  })
  const { url, pid, database, close } = server
  const person = await signUp(url)
  await database.query(`update app.user_plans set plan_type = 'business' where user_id = $1`, [
    person.id,
  ])
  const agent = new Agent({ keepAlive: true, maxSockets: connections })

  const visit = (path: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number; location: string }>((resolve, reject) => {
      request(`${url}${path}`, { agent, headers: { ...browser, ...headers } }, (response) => {
        response.resume()
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '' }),
        )
      })
        .on('error', reject)
        .end()
    })

  const longestDelayMs = async () => {
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`)
    const [, seconds] = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(await response.text()) ?? []
    return Math.max(0, Number(seconds) * 1_000 - resolutionMs)
  }

  return {
    url,
    person,
    database,
    visit,
    async costOf(count, send, senders = connections) {
      let sent = 0
      const before = cpuOfFirstThread(pid)
      const sender = async () => {
        while (sent < count) await send(++sent)
      }
      await Promise.all(Array.from({ length: senders }, sender))
      return (cpuOfFirstThread(pid) - before) / count
    },
    async pauseDuring(work) {
      await longestDelayMs()
      await work()
      return longestDelayMs()
    },
    async ask<Answer>(path: string, body: unknown, options: AskOptions = {}) {
      const { method = 'POST', allowed = [], headers = {} } = options
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...person.headers, ...headers },
        body: JSON.stringify(body),
      })
      const text = await response.text()
      if (!response.ok && !allowed.includes(response.status))
        throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
      return (text === '' ? undefined : JSON.parse(text)) as Answer
    },
    async close() {
      agent.destroy()
      await close()
    },
  }
}

const browser = {
  'user-agent':
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36',
  accept: 'text/html',
  'accept-language': 'en',
}
