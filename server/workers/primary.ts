import cluster from 'node:cluster'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { createContext } from '../context.ts'
import type { Lock } from '../data-dir.ts'
import type { Logger } from '../log.ts'
import { claimOwnNames } from '../postgres/own-names.ts'
import { createUndo, defaultPublicUrl, listenOn, openGround, type Running } from '../start.ts'
import { openClickSink } from '../visits/click-sink.ts'
import { type FollowedJournals, openFollowedJournals } from './followed-journals.ts'
import type { ToPrimary, WorkerConfig } from './messages.ts'
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
    const { databaseUrl, lock } = await openGround(config, log, { undo, signal, settings })
    const port = await findPort(config)
    const publicUrl = config.publicUrl ?? defaultPublicUrl(config.host, port)
    const shared: WorkerConfig = { ...config, port, databaseUrl, publicUrl }

    let journals: FollowedJournals | undefined
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
      onEnd: ({ journal }) => journals?.adopt(journal),
    })
    const onMessage = (worker: WorkerProcess, message: ToPrimary) => {
      if (message.kind === 'spent') pool.tellAll(message, worker)
      if (message.kind === 'report') {
        worker.load = message.load
        journals?.follow(worker.journal, message.written)
      }
      if (message.kind === 'waiting') void answer(worker, message.question)
    }
    const answer = async (worker: WorkerProcess, question: number) => {
      const targets = await journals?.waiting()
      worker.send({ kind: 'waiting', question, targets: targets ? [...targets] : null })
    }
    const context = await createContext({ ...shared, ...primaryShare }, log, undefined, {
      runsJobs: true,
      openClickSink: (deps) =>
        openClickSink(deps, (journalDeps) => {
          journals = openFollowedJournals(journalDeps, {
            load: () => Math.max(...[...pool.workers()].map(({ load }) => load)),
            onRemoved: ({ id }) => pool.tellAll({ kind: 'removed', segment: id }),
          })
          return journals
        }),
    })
    undo.add(() => context.close())
    await claimOwnNames(context.database, publicUrl, log)

    undo.add(() => pool.stop())
    const telling = setInterval(() => journals && tellStatus(pool.workers(), journals), statusMs)
    undo.add(async () => clearInterval(telling))
    await pool.start()

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

/** Says early that the port is taken; with PORT=0 all workers need to know the same one. */
async function findPort({ host, port }: Config): Promise<number> {
  const probe = createServer()
  const address = await listenOn(probe, host, port)
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
function tellStatus(workers: Iterable<WorkerProcess>, journals: FollowedJournals): void {
  const { applied, orphaned, corrupt, journalBytes } = journals.status()
  const totals = { applied, orphaned, corrupt, journalBytes, lag: journals.lag() }
  for (const worker of workers) {
    const bytesElsewhere = journals.bytesElsewhere(worker.journal)
    worker.send({ kind: 'journals', status: { ...totals, bytesElsewhere } })
  }
}
