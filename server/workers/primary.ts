import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Hono } from 'hono'
import { type Config, withAddresses } from '../config.ts'
import { createContext } from '../context.ts'
import type { Logger } from '../log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { claimOwnNames } from '../postgres/own-names.ts'
import { listenOn } from '../http/listen.ts'
import { createUndo } from '../primitives/undo.ts'
import { defaultPublicUrl } from '../http/default-public-url.ts'
import { lastGraceOf, openPrerequisites, type Running } from '../start.ts'
import { connectHere } from '../visits/counting/counting-here.ts'
import { type Counting, startCounting } from '../visits/counting/counting.ts'
import type { ToCounting } from '../visits/counting/messages.ts'
import type { ToPrimary } from './messages.ts'
import { createPooledMetrics, type PooledMetrics } from './pooled-metrics.ts'
import { connectionsOf, primaryShare, workerShare } from './shares.ts'
import { createWorkerPool } from './worker-pool.ts'
import { forkWorker, type WorkerProcess } from './worker-process.ts'
import { handleMessage } from '../primitives/handle-message.ts'

interface WorkersOptions {
  /** The file that each worker runs: it calls `runWorker`. */
  entry: string
  /** Ends the wait for a database that does not answer. */
  signal?: AbortSignal
}

const watchMs = 1_000
/** A worker reports its writes five times a second. */
const hungSeconds = 30
const healthTimeoutMs = 2_000

/**
 * Starts `config.workers` processes that share the port. This one, the primary, answers no requests: it has the data
 * directory, the embedded PostgreSQL and the periodic jobs, and counts the clicks of the workers. See
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
    const { databaseUrl, admin } = await openPrerequisites(config, log, { undo, signal, settings })
    const port = await findPort(config)
    const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, port)
    const shared = withAddresses({ ...config, port, databaseUrl }, publicUrl)

    let counting: Counting | undefined
    const receivers = new Map<WorkerProcess, (message: ToCounting) => void>()
    let pooledMetrics: PooledMetrics | undefined
    setUpCluster(entry)
    const pool = createWorkerPool({
      count: config.workers,
      log,
      fork(number) {
        const journal = randomUUID()
        const worker = forkWorker(
          { kind: 'start', number, journal, config: { ...shared, ...workerShare(config) } },
          onMessage,
        )
        const receive = counting?.connect(journal, (message) =>
          worker.send({ kind: 'counting', message }),
        )
        if (receive) receivers.set(worker, receive)
        return worker
      },
      onEnd(worker) {
        receivers.delete(worker)
        counting?.disconnect(worker.journal)
        pooledMetrics?.onEnd(worker)
      },
    })
    const onMessage = (worker: WorkerProcess, message: ToPrimary) =>
      void handleMessage(message, {
        spent: (tokens) => pool.sendToAll(tokens, worker),
        'unknown-host': ({ host }) => context.hosts.recordUnknown(host),
        visited: (visitors) => pool.sendToAll(visitors, worker),
        counting({ message: counted }) {
          worker.silentSeconds = 0
          receivers.get(worker)?.(counted)
        },
        metrics: ({ families }) => pooledMetrics?.onAnswer(worker, families),
      })
    const context = await createContext({ ...shared, ...primaryShare }, log, undefined, {
      openCounting: (deps) => connectHere((counting = startCounting(deps))),
    })
    undo.add(() => context.close())
    admin?.tlsAsk.follow(context.hosts)
    await claimOwnNames(context.database, context.config, log)

    // Added first, so that it is closed after the workers: it tells how a drain goes.
    undo.add(async () => admin?.close())
    let graceMs = 0
    undo.add(() => pool.stop(graceMs))
    const watching = setInterval(() => {
      for (const worker of pool.workers()) endIfHung(worker, log)
    }, watchMs)
    undo.add(async () => clearInterval(watching))
    await pool.start()
    if (admin) {
      const { processes, workers } = pool
      const own = createMetrics({ context, processes, tlsAsks: admin.tlsAsk.counts })
      pooledMetrics = createPooledMetrics({ own, workers })
      admin.server.attach({
        metrics: pooledMetrics.read,
        health: createRelayedHealth(config.host, port),
      })
    }

    let stopping: Promise<void> | undefined
    return {
      publicUrl,
      restart: pool.restart,
      stop(drainMs = 0) {
        pool.drain()
        graceMs = lastGraceOf(drainMs)
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

function setUpCluster(entry: string): void {
  // The default of most systems, and needed: a shared handle alone gives one worker most of the connections.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: entry,
    args: [],
    execArgv: ['--enable-source-maps'],
    // Messages have bytes in them.
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}
