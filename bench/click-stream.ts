import { mkdtemp, rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startNatsCluster } from '#test/click-log/nats-cluster.ts'
import { type Kill, streamKillRounds } from '#test/click-log/stream-kills.ts'
import { startBuilt } from '#test/visits/built.ts'
import { broken, type CodeHistory } from '#test/visits/history.ts'
import { plantLinks, type Planted } from '#test/visits/plant.ts'
import { visit } from '#test/visits/visit.ts'
import { startBenchDatabase } from './shared/database.ts'

// The click log in a NATS cluster of three: 20 kill -9 of nodes, whole machines and stream servers, leader first, under
// visits. Then the time until a redirect arrives, beside that of the journal in the same run. Needs nats-server.

const kills = Number(process.env.BENCH_KILLS ?? 20)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const seconds = Number(process.env.BENCH_SECONDS ?? 10)
const perSecond = Number(process.env.BENCH_RATE ?? 300)

const folder = await mkdtemp(join(tmpdir(), 'hoplet-click-stream-'))
const postgres = await startBenchDatabase(folder)
const cluster = await startNatsCluster()
const { sql } = postgres
const plant = (name: string) =>
  plantLinks(
    sql,
    Array.from({ length: 50 }, (_, i) => ({ code: `${name}-${i}`, url: 'https://example.com/' })),
  )

function report(name: string, history: readonly CodeHistory[]): void {
  const total = (of: (each: CodeHistory) => number) =>
    history.reduce((sum, each) => sum + of(each), 0)
  const lost = total(({ received, counted }) => Math.max(0, received - counted))
  const invented = total(({ sent, counted }) => Math.max(0, counted - sent))
  process.stdout.write(
    `${name}: ${total(({ sent }) => sent)} sent, ${total(({ received }) => received)} answered, ${total(({ counted }) => counted)} counted: ${lost} lost, ${invented} invented\n`,
  )
}

/** Visits at a constant rate, regardless of the response times; returns these in milliseconds. */
async function times(url: string, links: readonly Planted[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const found: number[] = []
  const pending: Promise<void>[] = []
  const started = performance.now()
  for (let sent = 0; performance.now() - started < seconds * 1000;) {
    const due = ((performance.now() - started) / 1000) * perSecond
    for (; sent < due; sent++) {
      const from = performance.now()
      const path = `/${links[sent % links.length]?.code}`
      pending.push(
        visit(url, path, { agent }).then(() => void found.push(performance.now() - from)),
      )
    }
    await sleep(1)
  }
  await Promise.all(pending)
  agent.destroy()
  return found.toSorted((a, b) => a - b)
}

const at = (sorted: readonly number[], part: number) =>
  (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(2)

let failed = false
try {
  // The first start runs the migrations.
  const first = await startBuilt({ DATABASE_URL: postgres.url, DATA_DIR: join(folder, 'first') })
  await first.end('SIGTERM')

  const order: Kill[] = ['leader', 'node', 'leader', 'machine']
  const history = await streamKillRounds({
    databaseUrl: postgres.url,
    sql,
    links: await plant('kills'),
    cluster,
    kills: Array.from({ length: kills }, (_, i) => order[i % order.length] ?? 'node'),
    nodes: 2,
    perSecond,
    onRound: (kill, round) => process.stdout.write(`${round + 1} ${kill}\n`),
  })
  report(`stream, ${kills} kills`, history)
  failed = broken(history).length > 0
  const control = await streamKillRounds({
    databaseUrl: postgres.url,
    sql,
    links: await plant('control'),
    cluster,
    kills: ['machine', 'machine', 'machine'],
    nodes: 1,
    perSecond,
    environment: { CLICK_LOG: 'journal' },
  })
  report('journal, 3 machines lost (control)', control)

  process.stdout.write(`\n${perSecond} visits a second, ${seconds} s a round\n`)
  const links = await plant('times')
  const logs = { journal: 'journal', stream: cluster.url }
  for (let round = 1; round <= rounds; round++) {
    for (const [name, CLICK_LOG] of Object.entries(logs)) {
      const server = await startBuilt({
        DATABASE_URL: postgres.url,
        DATA_DIR: join(folder, name),
        CLICK_LOG,
      })
      // The first look-ups and the compiler are not measured.
      for (const { code } of links) await visit(server.url, `/${code}`)
      const sorted = await times(server.url, links)
      process.stdout.write(
        `${round}  ${name.padEnd(8)} p50 ${at(sorted, 0.5)} ms  p99 ${at(sorted, 0.99)} ms  p99.9 ${at(sorted, 0.999)} ms  (${sorted.length})\n`,
      )
      await server.end('SIGTERM')
    }
  }
} finally {
  await cluster.stop()
  await postgres.stop()
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = failed ? 1 : 0
