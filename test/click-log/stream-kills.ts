import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestDatabase } from '#test/database.ts'
import { freePort } from '#test/free-port.ts'
import { type BuiltServer, startBuilt } from '#test/visits/built.ts'
import { type CodeHistory, drive, historyOf, noCounts } from '#test/visits/history.ts'
import type { Planted } from '#test/visits/plant.ts'
import type { NatsCluster } from './nats-cluster.ts'

/**
 * The victim: the server of the stream that leads it, a node of Hoplet, which starts again, or a node with its
 * folder, which starts with an empty one.
 */
export type Kill = 'leader' | 'node' | 'machine'

interface StreamKillOptions {
  databaseUrl: string
  sql: TestDatabase['sql']
  links: readonly Planted[]
  cluster: NatsCluster
  kills: readonly Kill[]
  nodes: number
  perSecond: number
  /** Beside CLICK_LOG; an own value of that wins. */
  environment?: Record<string, string>
  onRound?: (kill: Kill, round: number) => void
}

interface Node {
  dataDir: string
  server: BuiltServer
  adminPort: number
}

const stream = 'HOPLET_CLICKS'

/**
 * Kills one thing at a time under visits, waits until the stream is read, stops all nodes and reads the counts of the
 * database.
 */
export async function streamKillRounds(options: StreamKillOptions): Promise<CodeHistory[]> {
  const { cluster, links, sql, perSecond } = options
  const counts = noCounts(links)
  const start = async (dataDir: string) => {
    const adminPort = await freePort()
    const server = await startBuilt({
      DATABASE_URL: options.databaseUrl,
      DATA_DIR: dataDir,
      CLICK_LOG: cluster.url,
      ADMIN_PORT: String(adminPort),
      ...options.environment,
    })
    return { dataDir, server, adminPort }
  }
  const hasStream = !options.environment?.['CLICK_LOG']
  const newFolder = () => mkdtemp(join(tmpdir(), 'hoplet-stream-'))
  const nodes: Node[] = []
  for (let i = 0; i < options.nodes; i++) nodes.push(await start(await newFolder()))
  const visitAll = () =>
    nodes.map(({ server }) => drive(server.url, links, perSecond / nodes.length, counts))

  for (const [round, kill] of options.kills.entries()) {
    options.onRound?.(kill, round)
    const drivers = visitAll()
    await Promise.all(drivers.map((driver) => driver.answered(100)))
    await sleep(Math.random() * 300)
    if (kill === 'leader') {
      const leader = await cluster.leaderOf(stream)
      await cluster.kill(leader)
      // Until the others have a leader, and beyond.
      await cluster.leaderOf(stream)
      await Promise.all(drivers.map((driver) => driver.answered(250)))
      await Promise.all(drivers.map((driver) => driver.stop()))
      await cluster.start(leader)
      await cluster.whole(stream)
      continue
    }
    const victim = nodes[round % nodes.length]
    if (!victim) throw new Error('there is no node')
    // A journal that took over dies with its machine: one thing at a time.
    if (kill === 'machine' && hasStream) await handedOver(victim)
    await victim.server.end('SIGKILL')
    if (kill === 'machine') {
      await rm(victim.dataDir, { recursive: true })
      victim.dataDir = await newFolder()
    }
    await Promise.all(drivers.map((driver) => driver.stop()))
    Object.assign(victim, await start(victim.dataDir))
  }
  if (hasStream) {
    await Promise.all(nodes.map(handedOver))
    await readToEnd(options)
  }
  for (const { server } of nodes) await server.end('SIGTERM')
  for (const { dataDir } of nodes) await rm(dataDir, { recursive: true, force: true })
  return historyOf(sql, links, counts)
}

/** Waits until the stream has the clicks that the journal of a node took over. */
async function handedOver({ adminPort }: Node): Promise<void> {
  for (;;) {
    // It listens a moment after the public port.
    const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`).catch(() => undefined)
    if (/^hoplet_click_stream_taken_over 0$/m.test((await response?.text()) ?? '')) return
    await sleep(100)
  }
}

/** A node that took over from a killed one waits until that one's lease of the stream is over. */
async function readToEnd({ cluster, sql }: StreamKillOptions): Promise<void> {
  for (let isRead = false; !isRead; await sleep(200)) {
    const { state } = await cluster.manage((manager) => manager.streams.info(stream))
    const [mark] = await sql<{ seq: string }>(
      'select applied_seq as seq from app.click_streams where stream = $1',
      [stream],
    )
    isRead = Number(mark?.seq ?? 0) >= state.last_seq
  }
}
