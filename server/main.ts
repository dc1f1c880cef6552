import { createConfig } from './config.ts'
import { ConfigurationError, readEnv } from './env.ts'
import { createLog } from './log.ts'
import { startHoplet } from './start.ts'

/** env -> config -> context -> listen -> graceful stop. */
async function main(): Promise<void> {
  const config = createConfig(readEnv())
  const log = createLog(config.logLevel)
  const starting = startHoplet(config, log)

  // Ctrl-C in a terminal comes twice, from the terminal and from npm: the second must not kill what is draining.
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    starting
      .then((hoplet) => hoplet.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'stopped with an error')
          process.exit(1)
        },
      )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))

  const hoplet = await starting
  process.stdout.write(`\n  Hoplet is ready: ${hoplet.context.config.publicUrl}\n\n`)
}

main().catch((error: unknown) => {
  const expected = error instanceof ConfigurationError
  process.stderr.write(`${expected ? error.message : describe(error)}\n`)
  process.exit(1)
})

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return `Hoplet could not start: ${error.message}`
}
