import { join } from 'node:path'
import { claimJournal } from '../data-dir.ts'
import { createContext, type Overrides } from '../context.ts'
import { createLog } from '../log.ts'
import { createHttpServer } from '../server.ts'
import { listenOn, stopAccepting } from '../http/listen.ts'
import { closeServer, createBuiltWeb } from '../start.ts'
import { journalFolder } from '../visits/counting/click-log.ts'
import type { ToWorker } from './messages.ts'
import { openPrimaryLink } from './primary-link.ts'
import { errorMessage } from '../primitives/caught-error.ts'

/** The process that node:cluster has forked: answers requests until the primary tells it to stop. */
export async function runWorker(overrides: Overrides = {}): Promise<void> {
  // A terminal and a service manager signal all processes at once: the primary decides.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  const primary = openPrimaryLink()
  const starting = new Promise<Worker>((resolve, reject) => {
    primary.on({
      start: (message) => void startWorker(message, primary, overrides).then(resolve, reject),
      drain: () => obey((worker) => worker.drain()),
      stop: ({ graceMs }) => obey((worker) => worker.stop(graceMs).then(end)),
    })
  })
  // Without a start there is nothing to do: the process ends.
  const obey = (act: (worker: Worker) => unknown) => void starting.then(act, () => {})
  void primary.send({ kind: 'listening' })
  try {
    await starting
    await primary.send({ kind: 'ready' })
  } catch (error) {
    await primary.send({ kind: 'failed', message: errorMessage(error) })
    process.exit(1)
  }
}

const end = () => process.exit(0)

type Worker = Awaited<ReturnType<typeof startWorker>>

async function startWorker(
  { number, journal, config }: Extract<ToWorker, { kind: 'start' }>,
  primary: ReturnType<typeof openPrimaryLink>,
  overrides: Overrides,
) {
  const log = createLog(config.logLevel).child({ worker: number })
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
  if (config.clicks.mode === 'journal') await claimJournal(join(journalFolder(config), journal))
  const context = await createContext(config, log, overrides, {
    runsJobs: false,
    onSpent: primary.sendSpent,
    onVisitor: primary.sendVisitor,
    onUnknownHost: (host) => void primary.send({ kind: 'unknown-host', host }),
    openCounting: () => primary.countingPort(journal),
  })
  primary.on({
    spent(message) {
      for (const spent of message.spent) context.rateLimits.spentElsewhere(...spent)
    },
    visited(message) {
      for (const visited of message.visited) context.visits.visitedElsewhere(...visited)
    },
  })
  const server = createHttpServer(context, createBuiltWeb(context))
  await listenOn(server, config)
  const { createMetrics } = await import('../metrics/metrics.ts')
  const metrics = config.admin && createMetrics({ context, server })
  const sendMetrics = async () => {
    if (metrics) await primary.send({ kind: 'metrics', families: await metrics() })
  }
  primary.on({ measure: sendMetrics })
  let closing: Promise<void> | undefined
  const close = async (graceMs: number) => {
    // Their clients connect again, to another worker.
    await context.analytics.live.close()
    await stopAccepting(server, graceMs)
    await closeServer(server)
    // Its counts stay part of the sums.
    await sendMetrics()
    await context.close()
  }
  return {
    drain() {
      context.draining = true
    },
    stop: (graceMs: number) => (closing ??= close(graceMs)),
  }
}
