import cluster from 'node:cluster'
import { isatty } from 'node:tty'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createConfig } from './config.ts'
import { ConfigurationError, readEnv } from './env.ts'
import { createLog } from './log.ts'
import { type Running, startHoplet } from './start.ts'
import { startCountingThread } from './visits/counting/counting-thread.ts'
import { startWorkers } from './workers/primary.ts'
import { runWorker } from './workers/worker.ts'
import { errorMessage } from './primitives/caught-error.ts'
import { errorCode } from './primitives/error-code.ts'

/** For a start to end that was told to stop. */
const startTimeoutMs = 30_000

/** env -> config -> context -> listen -> graceful stop. With WORKERS the same file is also the entry of each worker. */
async function main(): Promise<void> {
  const config = createConfig(readEnv())
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  const abort = new AbortController()
  const { signal } = abort
  const entry = fileURLToPath(import.meta.url)
  const threadFile = join(dirname(entry), 'counting-thread.js')
  const starting: Promise<Running> =
    config.workers > 1
      ? startWorkers(config, log, { entry, signal })
      : startHoplet(config, log, {
          signal,
          openCounting: ({ config, keyId }) => startCountingThread(threadFile, { config, keyId }),
        })
  // Ctrl-C in a terminal comes twice, from the terminal and from npm: the second must not kill a draining server.
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    abort.abort()
    // A start that hangs (a folder on a disk that does not answer) must not keep the process.
    const late = setTimeout(() => process.kill(process.pid, 'SIGKILL'), startTimeoutMs)
    void starting.catch(() => {}).finally(() => clearTimeout(late))
    // A person at a terminal has no load balancer to tell.
    const drainMs = signal === 'SIGTERM' ? config.drainSeconds * 1000 : 0
    starting
      .then((hoplet) => hoplet.stop(drainMs))
      .then(
        () => process.exit(0),
        (error: unknown) => {
          if (isAbort(error)) process.exit(0)
          log.error({ err: error }, 'stopped with an error')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('SIGHUP', (signal) => {
    if (config.workers === 1) {
      // A terminal that was closed. Without one it is a reload, which the service manager cannot know to be useless.
      if (isatty(0)) return stop(signal)
      return log.warn({ signal }, 'there are no workers to replace: restart the server instead')
    }
    starting.then((hoplet) => hoplet.restart?.()).catch(() => {})
  })
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))

  const hoplet = await starting
  process.stdout.write(`\n  Hoplet is ready: ${hoplet.publicUrl}\n\n`)
}

const run = cluster.isWorker ? runWorker : main
run().catch((error: unknown) => {
  // Stopped while it waited for the database.
  if (isAbort(error)) process.exit(0)
  const expected = error instanceof ConfigurationError
  const prefix = expected ? '' : 'Hoplet could not start: '
  const why =
    errorCode(error) === 'ENOSPC'
      ? 'the disk of DATA_DIR is full. Make room and start again.'
      : errorMessage(error)
  process.stderr.write(`${prefix}${why}\n`)
  process.exit(1)
})

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}
