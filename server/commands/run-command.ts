import { type Config, createConfig } from '../config.ts'
import { readEnv } from '../env.ts'
import { createLog, type Logger } from '../log.ts'

/** Returns what to tell the operator. @throws {Error} whose message tells the operator what went wrong */
type Command = (args: string[], config: Config, log: Logger) => Promise<string>

/** Runs a command of the operator in this process. Exit code 0 when it has done its work. */
export function runCommand(command: Command, explain = messageOf): void {
  const run = async () =>
    command(process.argv.slice(2), createConfig(readEnv()), createLog('error'))
  run().then(
    (message) => {
      process.stdout.write(`${message}\n`)
      process.exit(0)
    },
    (error: unknown) => {
      process.stderr.write(`${explain(error)}\n`)
      process.exit(1)
    },
  )
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
