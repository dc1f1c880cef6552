import { Agent } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '#test/database.ts'
import { type BuiltServer, forgetfulEntry, startBuilt } from './built.ts'
import type { Planted } from './plant.ts'
import { visit } from './visit.ts'

/** The visits of one code, as the driver saw them and as the database counted them. */
export interface CodeHistory {
  code: string
  sent: number
  /** Visits with a 302 that arrived. */
  received: number
  counted: number
  events: number
}

export interface Driver {
  statuses: Map<string, number>
  /** Waits for so many answers of this driver: on a busy machine a time alone may bring none. */
  answered(count: number): Promise<void>
  /** Stops sending and waits for the pending responses. */
  stop(): Promise<void>
}

type Counts = Map<string, { sent: number; received: number }>

export const noCounts = (links: readonly Planted[]): Counts =>
  new Map(links.map(({ id }) => [id, { sent: 0, received: 0 }]))

/** Visits the links in turn at a constant rate, regardless of the response times. */
export function drive(
  url: string,
  links: readonly Planted[],
  perSecond: number,
  counts: Counts,
): Driver {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 })
  const statuses = new Map<string, number>()
  const pending = new Set<Promise<void>>()
  const started = performance.now()
  let sent = 0
  const send = async (link: Planted) => {
    const count = counts.get(link.id)
    if (!count) return
    count.sent++
    const outcome = await visit(url, `/${link.code}`, { agent }).then(
      ({ status, location }) => (location === '/404' ? '404' : String(status)),
      () => 'broken',
    )
    if (outcome === '302') count.received++
    statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
  }
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - started) / 1000) * perSecond)
    for (; sent < due; sent++) {
      const link = links[sent % links.length]
      if (!link) return
      const work: Promise<void> = send(link).finally(() => pending.delete(work))
      pending.add(work)
    }
  }, 10)
  return {
    statuses,
    async answered(count) {
      while ([...statuses.values()].reduce((sum, n) => sum + n, 0) < count) await sleep(20)
    },
    async stop() {
      clearInterval(timer)
      await Promise.all(pending)
      agent.destroy()
    },
  }
}

/** Combines the numbers of the driver with those of the database. */
export async function historyOf(
  sql: TestDatabase['sql'],
  links: readonly Planted[],
  counts: Counts,
): Promise<CodeHistory[]> {
  const rows = await sql<{ id: string; counted: string; events: string }>(
    `select s.id, s.click_count as counted,
      (select count(*) from app.click_events e join app.click_scopes t on t.id = e.scope
          where t.ref = s.id and e.verdict in ('c', 'r', 'o')) as events
      from app.shortened_urls s where s.id = any ($1::uuid[])`,
    [links.map(({ id }) => id)],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return links.map(({ id, code }) => ({
    code,
    sent: counts.get(id)?.sent ?? 0,
    received: counts.get(id)?.received ?? 0,
    counted: Number(byId.get(id)?.counted ?? 0),
    events: Number(byId.get(id)?.events ?? 0),
  }))
}

/** The codes that break the promise: received <= counted <= sent, and as many events as counts. */
export function broken(history: readonly CodeHistory[]): CodeHistory[] {
  return history.filter(
    ({ sent, received, counted, events }) =>
      received > counted || counted > sent || events !== counted,
  )
}

interface KillOptions {
  databaseUrl: string
  dataDir: string
  sql: TestDatabase['sql']
  links: readonly Planted[]
  rounds: number
  /** Runs the control, which loses clicks in a kill. */
  isForgetful?: boolean
  /** The range of a random delay before each kill. */
  killAfterMs: [min: number, max: number]
}

/** Kills a server under 300 visits a second in each round, then starts one more, which applies the rest. */
export async function killRounds(options: KillOptions): Promise<CodeHistory[]> {
  const counts = noCounts(options.links)
  const [minMs, maxMs] = options.killAfterMs
  const start = (): Promise<BuiltServer> =>
    startBuilt(
      { DATABASE_URL: options.databaseUrl, DATA_DIR: options.dataDir },
      options.isForgetful ? forgetfulEntry : undefined,
    )
  for (let round = 0; round < options.rounds; round++) {
    const server = await start()
    const driver = drive(server.url, options.links, 300, counts)
    await sleep(minMs + Math.random() * (maxMs - minMs))
    await driver.answered(101)
    await server.end('SIGKILL')
    await driver.stop()
  }
  const last = await start()
  await last.end('SIGTERM')
  return historyOf(options.sql, options.links, counts)
}
