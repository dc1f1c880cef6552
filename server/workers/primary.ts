import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import type { Config } from '../config.ts'
import { createContext } from '../context.ts'
import type { Lock } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { type AdminServer, startAdminServer } from '../metrics/admin-server.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { claimOwnNames } from '../postgres/own-names.ts'
import { listenOn } from '../http/listen.ts'
import { createUndo } from '../primitives/undo.ts'
import { defaultPublicUrl, openPrerequisites, type Running } from '../start.ts'
import { openClickSink } from '../visits/click-sink.ts'
import { type FollowedJournals, openFollowedJournals } from './followed-journals.ts'
import type { ToPrimary, WorkerConfig } from './messages.ts'
import { createPooledMetrics, type PooledMetrics } from './pooled-metrics.ts'
import { connectionsOf, primaryShare, workerShare } from './shares.ts'
import { createWorkerPool } from './worker-pool.ts'
import { forkWorker, type WorkerProcess } from './worker-process.ts'

interface WorkersOptions {
  /** The file that each worker runs: it calls `runWorker`. */
  entry: string
  /** Ends the wait for a database that does not answer. */
  signal?: AbortSignal
}

const statusMs = 1_000
/** Reports come every `reportMs`. */
const hungSeconds = 30
const healthTimeoutMs = 2_000

/**
 * Starts `config.workers` processes that share the port. This one, the primary, answers no requests: it has the data
 * directory, the embedded PostgreSQL and the periodic jobs, and applies the journals of the workers. See
 * docs/decisions/0005.
 */
export async function startWorkers(
  config: Config,
  log: Logger,
  { entry, signal }: WorkersOptions,
): Promise<Running> {
  const undo = createUndo()
  try {
    const settings = { max_connections: String(Math.max(100, connectionsOf(config))) }
    const { databaseUrl, lock } = await openPrerequisites(config, log, { undo, signal, settings })
    const port = await findPort(config)
    const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, port)
    const shared: WorkerConfig = { ...config, port, databaseUrl, publicUrl }

    let journals: FollowedJournals | undefined
    let pooledMetrics: PooledMetrics | undefined
    setUpCluster(entry, lock)
    const pool = createWorkerPool({
      count: config.workers,
      log,
      fork: (number) =>
        forkWorker(
          {
            kind: 'start',
            number,
            journal: randomUUID(),
            config: { ...shared, ...workerShare(config) },
          },
          onMessage,
        ),
      onEnd(worker) {
        journals?.adopt(worker.journal)
        pooledMetrics?.onEnd(worker)
      },
    })
    const onMessage = (worker: WorkerProcess, message: ToPrimary) => {
      if (message.kind === 'spent') pool.sendToAll(message, worker)
      if (message.kind === 'report') {
        worker.load = message.load
        worker.silentSeconds = 0
        journals?.follow(worker.journal, message.written)
      }
      if (message.kind === 'metrics') pooledMetrics?.onAnswer(worker, message.families)
      if (message.kind === 'waiting') void answer(worker, message.question)
    }
    const answer = async (worker: WorkerProcess, question: number) => {
      const targets = await journals?.waiting()
      worker.send({ kind: 'waiting', question, targets: targets ? [...targets] : null })
    }
    const context = await createContext({ ...shared, ...primaryShare }, log, undefined, {
      runsJobs: true,
      openClickSink: (deps) =>
        openClickSink(deps, (logDeps, toDatabase) => {
          journals = openFollowedJournals(logDeps, toDatabase, {
            load: () => Math.max(...[...pool.workers()].map(({ load }) => load)),
            onRemoved: ({ id }) => pool.sendToAll({ kind: 'removed', segment: id }),
          })
          return journals
        }),
    })
    undo.add(() => context.close())
    await claimOwnNames(context.database, publicUrl, log)

    // Added first, so that it is closed after the workers: it tells how a drain goes.
    let admin: AdminServer | undefined
    undo.add(async () => admin?.close())
    undo.add(() => pool.stop())
    const telling = setInterval(() => {
      if (journals) sendStatus(pool.workers(), journals)
      for (const worker of pool.workers()) endIfHung(worker, log)
    }, statusMs)
    undo.add(async () => clearInterval(telling))
    await pool.start()
    if (config.admin) {
      const own = createMetrics({ context, processes: pool.processes })
      pooledMetrics = createPooledMetrics({ own, workers: pool.workers })
      admin = await startAdminServer(config.admin, {
        metrics: pooledMetrics.read,
        health: createRelayedHealth(config.host, port),
        log,
      })
    }

    let stopping: Promise<void> | undefined
    return {
      publicUrl,
      restart: pool.restart,
      stop(drainMs = 0) {
        pool.drain()
        return (stopping ??= sleep(drainMs).then(undo.all))
      },
    }
  } catch (error) {
    await undo.all()
    throw error
  }
}

/** Called every second that the primary itself runs, so that a pause of the whole machine ends no worker. */
function endIfHung(worker: WorkerProcess, log: Logger): void {
  if (worker.silentSeconds === undefined || ++worker.silentSeconds < hungSeconds) return
  log.error({ worker: worker.number, hungSeconds }, 'a worker does not respond: killing it')
  worker.kill()
}

/** Relays the health of one worker. */
function createRelayedHealth(host: string, port: number): Hono {
  const url = defaultPublicUrl(host, port)
  return new Hono()
    .get('/live', (c) => c.json({ status: 'ok' }))
    .get('/ready', async (c) => {
      try {
        const signal = AbortSignal.timeout(healthTimeoutMs)
        return await fetch(`${url}/health/ready`, { signal })
      } catch {
        return c.json({ status: 'unavailable' }, 503, { 'Retry-After': '5' })
      }
    })
}

/** Fails fast if the port is in use; with PORT=0 all workers need to know the same one. */
async function findPort(config: Config): Promise<number> {
  const probe = createServer()
  const address = await listenOn(probe, config)
  await new Promise((resolve) => probe.close(resolve))
  return address.port
}

function setUpCluster(entry: string, lock: Lock): void {
  // The default of most systems, and needed: a shared handle alone gives one worker most of the connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: entry,
    args: [],
    execArgv: ['--enable-source-maps'],
    // Workers inherit the lock, so that the next server waits for those that outlive a killed primary by a moment.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', fileDescriptorOf(lock)],
  })
}

/** node:child_process passes on descriptors and sockets, and no listening ones; node:net has no public way to the descriptor. */
function fileDescriptorOf(lock: Lock): number {
  const { _handle } = lock as Lock & { _handle?: { fd?: number } | null }
  if (_handle?.fd === undefined || _handle.fd < 0)
    throw new Error('This version of Node does not let workers inherit the lock. Set WORKERS=1.')
  return _handle.fd
}

/** Tells the workers how far their journals are applied. */
function sendStatus(workers: Iterable<WorkerProcess>, journals: FollowedJournals): void {
  const { applied, orphaned, corrupt, journalBytes } = journals.status()
  const totals = { applied, orphaned, corrupt, journalBytes, lag: journals.lag() }
  for (const worker of workers) {
    const bytesElsewhere = journals.bytesElsewhere(worker.journal)
    worker.send({ kind: 'journals', status: { ...totals, bytesElsewhere } })
  }
}
