import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node'
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream'
import { findProgram } from '../../scripts/debian-programs.mjs'
import { freePort } from '../free-port.ts'

export type NatsCluster = Awaited<ReturnType<typeof startNatsCluster>>

interface ClusterOptions {
  servers?: number
  /** More lines of each server's configuration. */
  settings?: string
  /** Login part of the URL, for example `user:password@`. */
  login?: string
  /** How the test itself connects, where `login` is not enough. */
  connection?: NodeConnectionOptions
  /** False: without JetStream. */
  jetstream?: boolean
}

export const hasNatsServer = findProgram('nats-server') !== undefined

/** Starts NATS servers of one cluster on loopback, with files in a separate folder. */
export async function startNatsCluster({
  servers: count = 3,
  settings = '',
  login = '',
  connection = {},
  jetstream = true,
}: ClusterOptions = {}) {
  const binary = findProgram('nats-server')
  if (binary === undefined) throw new Error('there is no nats-server')
  const folder = await mkdtemp(join(tmpdir(), 'hoplet-nats-'))
  const ports: { client: number; route: number }[] = []
  for (let i = 0; i < count; i++) ports.push({ client: await freePort(), route: await freePort() })
  const routes = ports.map(({ route }) => `nats://127.0.0.1:${route}`).join(', ')
  const processes: (ChildProcess | undefined)[] = ports.map(() => undefined)

  const start = async (i: number) => {
    const port = ports[i]
    if (!port) throw new Error(`there is no server ${i}`)
    const store = join(folder, `server-${i}`)
    await mkdir(store, { recursive: true })
    const config = join(folder, `server-${i}.conf`)
    await writeFile(
      config,
      [
        `server_name: server-${i}`,
        `listen: 127.0.0.1:${port.client}`,
        jetstream ? `jetstream { store_dir: "${store}", max_file_store: 1TB }` : '',
        count > 1
          ? `cluster { name: test, listen: 127.0.0.1:${port.route}, routes: [${routes}] }`
          : '',
        settings,
      ].join('\n'),
    )
    processes[i] = spawn(binary, ['-c', config], { stdio: 'ignore' })
  }
  const kill = async (i: number) => {
    const child = processes[i]
    processes[i] = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
  }
  const urls = ports.map(({ client }) => `nats://${login}127.0.0.1:${client}`)
  const manage = async <T>(
    work: (manager: JetStreamManager, nc: NatsConnection) => Promise<T>,
  ): Promise<T> => {
    const [user, pass] = login.replace('@', '').split(':')
    const nc = await connect({
      servers: ports.map(({ client }) => `127.0.0.1:${client}`),
      reconnect: false,
      ...(user && { user, pass: pass ?? '' }),
      ...connection,
    })
    try {
      return await work(await jetstreamManager(nc, { checkAPI: false, timeout: 2_000 }), nc)
    } finally {
      await nc.close()
    }
  }
  /** Until `work` does not fail. */
  const eventually = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (attempt === 300) throw error
        await sleep(100)
      }
    }
  }
  const stop = async () => {
    await Promise.all(ports.map((_, i) => kill(i)))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await Promise.all(ports.map((_, i) => start(i)))
    // The cluster has a leader when it answers.
    if (jetstream) await eventually(() => manage((manager) => manager.getAccountInfo()))
    else await eventually(() => manage(async () => {}))
  } catch (error) {
    await stop()
    throw error
  }

  return {
    folder,
    /** For CLICK_LOG. */
    url: urls.join(','),
    urls,
    count,
    /** The process ids of the servers that run. */
    pids: () => processes.flatMap((child) => child?.pid ?? []),
    start,
    /** SIGKILL. */
    kill,
    manage: <T>(work: (manager: JetStreamManager, nc: NatsConnection) => Promise<T>) =>
      eventually(() => manage(work)),
    /** The place of the server that leads a stream. */
    leaderOf: (stream: string) =>
      eventually(async () => {
        const { cluster } = await manage((manager) => manager.streams.info(stream))
        const leader = /^server-(\d+)$/.exec(cluster?.leader ?? '')?.[1]
        if (leader === undefined) throw new Error(`${stream} has no leader`)
        return Number(leader)
      }),
    /** Waits until all replicas of a stream have everything. */
    whole: (stream: string) =>
      eventually(async () => {
        const { cluster } = await manage((manager) => manager.streams.info(stream))
        const replicas = cluster?.replicas ?? []
        if (
          replicas.length < count - 1 ||
          replicas.some(({ current, offline }) => !current || offline)
        )
          throw new Error('a replica is behind')
      }),
    stop,
  }
}
